use rstest::rstest;

use super::*;

/// Two voices that share a file. The checksums are those of `network` and `joe` and `jim`.
const VOICES: &str = r#"{"entries": [
    {"id": "joe", "purpose": "voice", "engine": "kokoro", "label": "", "languages": ["en"], "licence": "", "ram_bytes": 20,
     "minimum": {"ram_bytes": 100, "cores": 2}, "description": "", "files": [
        {"name": "voices/network", "variants": [{"label": "", "size_bytes": 7, "sha256": "3009be769fb8f956e8413ee9f3e0836e34968bc40457d0a10c549d2edcf00cc1", "urls": []}]},
        {"name": "voices/joe", "variants": [{"label": "", "size_bytes": 3, "sha256": "78675cc176081372c43abab3ea9fb70c74381eb02dc6e93fb6d44d161da6eeb3", "urls": []}]}]},
    {"id": "jim", "purpose": "voice", "engine": "kokoro", "label": "", "languages": ["en"], "licence": "", "ram_bytes": 10,
     "minimum": {"ram_bytes": 0, "cores": 1}, "description": "", "files": [
        {"name": "voices/network", "variants": [{"label": "", "size_bytes": 7, "sha256": "3009be769fb8f956e8413ee9f3e0836e34968bc40457d0a10c549d2edcf00cc1", "urls": []}]},
        {"name": "voices/jim", "variants": [{"label": "", "size_bytes": 3, "sha256": null, "urls": ["https://hub.example/jim"]}]}]}
]}"#;

struct Models {
    store: Store,
    folder: tempfile::TempDir,
}

fn models(files: &[(&str, &str)]) -> Models {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Box::leak(Box::new(Catalogue::parse(VOICES).unwrap()));
    fs::create_dir(folder.path().join("voices")).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    Models { store: Store::with_catalogue(folder.path(), catalogue), folder }
}

#[rstest]
#[case::nothing_there(&[], State::Missing)]
#[case::all_there(&[("voices/network", "network"), ("voices/joe", "joe")], State::Installed)]
#[case::one_file_only(&[("voices/network", "network")], State::Partial { bytes: 0 })]
#[case::a_part_of_a_file(&[("voices/network.part", "netw")], State::Partial { bytes: 4 })]
#[case::another_size(&[("voices/network", "net"), ("voices/joe", "joe")], State::Corrupt)]
fn tells_how_much_of_a_model_is_here(#[case] files: &[(&str, &str)], #[case] expected: State) {
    assert_eq!(models(files).store.installed("joe").unwrap(), expected);
}

#[test]
fn a_store_that_follows_the_settings_looks_where_they_say_now() {
    let (one, other) = (models(&[]), models(&[("voices/network", "network"), ("voices/joe", "joe")]));
    let (settings, now) = watch::channel(Settings::default());
    let place = Place::OfSettings { settings: now, usual: one.folder.path().to_owned() };
    let store = Store { place, catalogue: one.store.catalogue() };
    let staying = store.staying();

    settings.send_modify(|settings| settings.models.folder = other.folder.path().display().to_string());

    assert_eq!(store.installed("joe").unwrap(), State::Installed);
    assert_eq!(staying.installed("joe").unwrap(), State::Missing);
    settings.send_modify(|settings| settings.models.folder.clear());
    assert_eq!(store.folder(), one.folder.path());
}

#[tokio::test]
async fn only_the_full_check_finds_a_changed_byte() {
    let good = models(&[("voices/network", "network"), ("voices/joe", "joe")]);
    let bad = models(&[("voices/network", "network"), ("voices/joe", "jow")]);

    assert_eq!(bad.store.installed("joe").unwrap(), State::Installed);
    assert_eq!(bad.store.verify("joe").await.unwrap(), State::Corrupt);
    assert_eq!(good.store.verify("joe").await.unwrap(), State::Installed);
}

#[tokio::test]
async fn a_file_without_a_listed_checksum_counts_by_its_pin() {
    let models = models(&[("voices/network", "network"), ("voices/jim", "JIMMY")]);
    let unpinned = models.store.installed("jim").unwrap();

    let pin = Pin {
        sha256: sha256_of(&models.folder.path().join("voices/jim")).unwrap(),
        size_bytes: 5,
        url: String::new(),
    };
    Pins::change(models.folder.path(), |pins| pins.set("voices/jim", pin.clone())).unwrap();

    assert_eq!(unpinned, State::Corrupt);
    assert_eq!(models.store.verify("jim").await.unwrap(), State::Installed);
    assert_eq!(models.store.pin_of(&models.store.entry("jim").unwrap().files[1]), Some(pin));
}

#[test]
fn deleting_a_model_keeps_what_another_one_needs() {
    let models = models(&[("voices/network", "network"), ("voices/joe", "joe"), ("voices/jim", "jim")]);
    let pin = Pin { sha256: String::new(), size_bytes: 3, url: String::new() };
    Pins::change(models.folder.path(), |pins| pins.set("voices/jim", pin)).unwrap();

    models.store.delete("jim").unwrap();
    let joe_after_jim = models.store.installed("joe").unwrap();
    models.store.delete("joe").unwrap();

    assert_eq!((joe_after_jim, models.store.installed("joe").unwrap()), (State::Installed, State::Missing));
    assert!(!models.folder.path().join("voices/network").exists());
    assert_eq!(Pins::of(models.folder.path()), Pins::default());
}

#[rstest]
#[case::strong_machine(200, 4, &["joe", "jim"], Some("joe"))]
#[case::weak_machine(50, 1, &["joe", "jim"], Some("jim"))]
#[case::only_the_demanding_one_is_here(50, 1, &["joe"], Some("joe"))]
#[case::nothing_is_here(200, 4, &[], None)]
fn takes_the_best_of_what_is_here(
    #[case] ram_bytes: u64,
    #[case] cores: usize,
    #[case] here: &[&str],
    #[case] expected: Option<&str>,
) {
    let models = models(&[("voices/network", "network")]);
    for id in here {
        fs::write(models.folder.path().join("voices").join(id), id).unwrap();
    }
    let pin = Pin { sha256: String::new(), size_bytes: 3, url: String::new() };
    Pins::change(models.folder.path(), |pins| pins.set("voices/jim", pin)).unwrap();

    let best = models.store.best_installed(Purpose::Voice, &Machine { ram_bytes, cores });

    assert_eq!(best.map(|entry| entry.id.as_str()), expected);
}

#[test]
fn an_unknown_model_is_an_error_with_its_name() {
    assert_eq!(
        models(&[]).store.path_of("joan").unwrap_err().to_string(),
        "the catalogue has no model named joan"
    );
}
