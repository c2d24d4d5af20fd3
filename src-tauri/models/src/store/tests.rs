use rstest::rstest;

use super::*;

/// Two voices that share a file. The checksums are those of the texts `network` and `joe`.
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
    store: ModelStore,
    folder: tempfile::TempDir,
}

fn models(files: &[(&str, &str)]) -> Models {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Box::leak(Box::new(Catalogue::parse(VOICES).unwrap()));
    fs::create_dir(folder.path().join("voices")).unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    Models { store: ModelStore::with_catalogue(folder.path(), catalogue), folder }
}

#[rstest]
#[case::nothing_there(&[], InstallState::Missing)]
#[case::all_there(&[("voices/network", "network"), ("voices/joe", "joe")], InstallState::Installed)]
#[case::one_file_only(&[("voices/network", "network")], InstallState::Partial { bytes: 0 })]
#[case::a_part_of_a_file(&[("voices/network.part", "netw")], InstallState::Partial { bytes: 4 })]
#[case::another_size(&[("voices/network", "net"), ("voices/joe", "joe")], InstallState::Corrupt)]
fn install_state_follows_from_the_existing_files(
    #[case] files: &[(&str, &str)],
    #[case] expected: InstallState,
) {
    assert_eq!(models(files).store.install_state("joe").unwrap(), expected);
}

#[test]
fn folder_of_a_following_store_changes_with_the_settings() {
    let (one, other) = (models(&[]), models(&[("voices/network", "network"), ("voices/joe", "joe")]));
    let (settings, now) = watch::channel(Settings::default());
    let folder_source =
        FolderSource::OfSettings { settings: now, default_folder: one.folder.path().to_owned() };
    let store = ModelStore { folder_source, catalogue: one.store.catalogue() };
    let fixed = store.with_fixed_folder();

    settings.send_modify(|settings| settings.models.folder = other.folder.path().display().to_string());

    assert_eq!(store.install_state("joe").unwrap(), InstallState::Installed);
    assert_eq!(fixed.install_state("joe").unwrap(), InstallState::Missing);
    settings.send_modify(|settings| settings.models.folder.clear());
    assert_eq!(store.folder(), one.folder.path());
}

#[tokio::test]
async fn changed_byte_is_found_by_verification_only() {
    let good = models(&[("voices/network", "network"), ("voices/joe", "joe")]);
    let bad = models(&[("voices/network", "network"), ("voices/joe", "jow")]);

    assert_eq!(bad.store.install_state("joe").unwrap(), InstallState::Installed);
    assert_eq!(bad.store.verify("joe").await.unwrap(), InstallState::Corrupt);
    assert_eq!(good.store.verify("joe").await.unwrap(), InstallState::Installed);
}

#[tokio::test]
async fn file_without_listed_checksum_is_judged_by_its_pin() {
    let models = models(&[("voices/network", "network"), ("voices/jim", "JIMMY")]);
    let unpinned = models.store.install_state("jim").unwrap();

    let checksum = PinnedChecksum {
        sha256: sha256_of(&models.folder.path().join("voices/jim")).unwrap(),
        size_bytes: 5,
        url: String::new(),
    };
    PinnedChecksums::change(models.folder.path(), |checksums| checksums.set("voices/jim", checksum.clone()))
        .unwrap();

    assert_eq!(unpinned, InstallState::Corrupt);
    assert_eq!(models.store.verify("jim").await.unwrap(), InstallState::Installed);
    assert_eq!(models.store.pinned_checksum(&models.store.entry("jim").unwrap().files[1]), Some(checksum));
}

#[test]
fn deleting_a_model_keeps_files_of_another_model() {
    let models = models(&[("voices/network", "network"), ("voices/joe", "joe"), ("voices/jim", "jim")]);
    let checksum = PinnedChecksum { sha256: String::new(), size_bytes: 3, url: String::new() };
    PinnedChecksums::change(models.folder.path(), |checksums| checksums.set("voices/jim", checksum)).unwrap();

    models.store.delete("jim").unwrap();
    let joe_after_jim = models.store.install_state("joe").unwrap();
    models.store.delete("joe").unwrap();

    assert_eq!(
        (joe_after_jim, models.store.install_state("joe").unwrap()),
        (InstallState::Installed, InstallState::Missing)
    );
    assert!(!models.folder.path().join("voices/network").exists());
    assert_eq!(PinnedChecksums::from_folder(models.folder.path()), PinnedChecksums::default());
}

#[rstest]
#[case::strong_machine(200, 4, &["joe", "jim"], Some("joe"))]
#[case::weak_machine(50, 1, &["joe", "jim"], Some("jim"))]
#[case::only_the_demanding_one_is_here(50, 1, &["joe"], Some("joe"))]
#[case::nothing_is_here(200, 4, &[], None)]
fn best_installed_model_fits_the_machine_if_possible(
    #[case] ram_bytes: u64,
    #[case] cores: usize,
    #[case] installed: &[&str],
    #[case] expected: Option<&str>,
) {
    let models = models(&[("voices/network", "network")]);
    for id in installed {
        fs::write(models.folder.path().join("voices").join(id), id).unwrap();
    }
    let checksum = PinnedChecksum { sha256: String::new(), size_bytes: 3, url: String::new() };
    PinnedChecksums::change(models.folder.path(), |checksums| checksums.set("voices/jim", checksum)).unwrap();

    let best = models.store.best_installed(Purpose::Voice, &Machine { ram_bytes, cores });

    assert_eq!(best.map(|entry| entry.id.as_str()), expected);
}

#[rstest]
#[case::first_that_knows_it(&["network", "joe", "jim"], &["de"], "jim")]
#[case::the_better_of_two(&["network", "joe", "jim"], &["en"], "joe")]
#[case::none_knows_it(&["network", "joe", "jim"], &["de", "fr"], "joe")]
#[case::the_one_that_knows_it_is_not_here(&["network", "joe"], &["de"], "joe")]
fn best_installed_model_knows_the_languages_if_possible(
    #[case] installed: &[&str],
    #[case] languages: &[&str],
    #[case] expected: &str,
) {
    let catalogue = VOICES.replacen(
        r#""id": "jim", "purpose": "voice", "engine": "kokoro", "label": "", "languages": ["en"]"#,
        r#""id": "jim", "purpose": "voice", "engine": "kokoro", "label": "", "languages": ["en", "de-AT"]"#,
        1,
    );
    let folder = tempfile::tempdir().unwrap();
    let catalogue = Box::leak(Box::new(Catalogue::parse(&catalogue).unwrap()));
    let store = ModelStore::with_catalogue(folder.path(), catalogue);
    fs::create_dir(folder.path().join("voices")).unwrap();
    for name in installed {
        fs::write(folder.path().join("voices").join(name), name).unwrap();
    }
    let checksum = PinnedChecksum { sha256: String::new(), size_bytes: 3, url: String::new() };
    PinnedChecksums::change(folder.path(), |checksums| checksums.set("voices/jim", checksum)).unwrap();
    let languages: Vec<Language> = languages.iter().filter_map(|code| Language::new(code)).collect();

    let machine = Machine { ram_bytes: 200, cores: 4 };
    let best = store.best_installed_for_languages(Purpose::Voice, &machine, &languages);

    assert_eq!(best.map(|entry| entry.id.as_str()), Some(expected));
}

#[test]
fn unknown_model_is_reported_with_its_id() {
    assert_eq!(
        models(&[]).store.path_of("joan").unwrap_err().to_string(),
        "the catalogue has no model named joan"
    );
}
