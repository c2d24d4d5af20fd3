//! The icon file of Windows, without which a build for Windows ends before anything is compiled.

use serde_json::Value;

const ICO: &[u8] = include_bytes!("../../../icons/icon.ico");
const CONFIG: &str = include_str!("../../../tauri.conf.json");

fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Width and height of an image, from its own header: a PNG, or a bitmap without file header.
fn size(image: &[u8]) -> (usize, usize) {
    match image.strip_prefix(b"\x89PNG\r\n\x1a\n") {
        Some(png) => {
            let big_endian = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | usize::from(*byte));
            (big_endian(&png[8..12]), big_endian(&png[12..16]))
        }
        // The height counts the colours and the mask.
        None => (number(&image[4..8]), number(&image[8..12]) / 2),
    }
}

#[test]
fn windows_icon_has_every_size_that_windows_shows() {
    let entries = ICO[6..].chunks(16).take(number(&ICO[4..6]));

    let images: Vec<_> = entries
        .map(|entry| {
            let (length, start) = (number(&entry[8..12]), number(&entry[12..16]));
            let listed = if entry[0] == 0 { 256 } else { usize::from(entry[0]) };
            assert_eq!(size(&ICO[start..start + length]), (listed, listed));
            listed
        })
        .collect();

    assert_eq!(ICO[..4], [0, 0, 1, 0], "the header of an icon file");
    assert_eq!(images, [16, 24, 32, 48, 64, 256]);
}

#[test]
fn windows_icon_is_named_in_the_configuration() {
    let config: Value = serde_json::from_str(CONFIG).unwrap();

    let icons = config["bundle"]["icon"].as_array().unwrap();

    assert!(icons.contains(&Value::from("icons/icon.ico")), "{icons:?}");
}
