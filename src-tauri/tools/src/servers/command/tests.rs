use rstest::rstest;

use super::*;

fn program(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Surroundings below a folder: the user is at `home`.
fn surroundings(root: &Path, platform: Platform, variables: &[(&str, &str)]) -> Surroundings {
    Surroundings::new(platform, Some(root.join("home")), |name| {
        let (_, folder) = variables.iter().find(|(variable, _)| *variable == name)?;
        Some(root.join(folder).into_os_string())
    })
}

#[rstest]
#[case::path(Platform::Linux, &[("PATH", "a")], "a/tool-of-a-test")]
#[case::of_the_user(Platform::Linux, &[], "home/.local/bin/tool-of-a-test")]
#[case::bun(Platform::MacOs, &[], "home/.bun/bin/tool-of-a-test")]
#[case::volta(Platform::Linux, &[], "home/.volta/bin/tool-of-a-test")]
#[case::volta_elsewhere(Platform::MacOs, &[("VOLTA_HOME", "v")], "v/bin/tool-of-a-test")]
#[case::nvm(Platform::Linux, &[], "home/.nvm/versions/node/v22.1.0/bin/tool-of-a-test")]
#[case::nvm_elsewhere(Platform::Linux, &[("NVM_DIR", "n")], "n/versions/node/v22.1.0/bin/tool-of-a-test")]
#[case::fnm(Platform::Linux, &[], "home/.local/share/fnm/node-versions/v22.1.0/installation/bin/tool-of-a-test")]
#[case::fnm_of_a_data_folder(
    Platform::Linux, &[("XDG_DATA_HOME", "d")], "d/fnm/node-versions/v22.1.0/installation/bin/tool-of-a-test"
)]
#[case::fnm_on_mac(
    Platform::MacOs, &[], "home/Library/Application Support/fnm/node-versions/v22.1.0/installation/bin/tool-of-a-test"
)]
#[case::path_on_windows(Platform::Windows, &[("PATH", "a")], "a/tool-of-a-test.exe")]
#[case::npm_on_windows(Platform::Windows, &[("APPDATA", "roaming")], "roaming/npm/tool-of-a-test.cmd")]
#[case::node_on_windows(Platform::Windows, &[("ProgramFiles", "p")], "p/nodejs/tool-of-a-test.cmd")]
#[case::volta_on_windows(Platform::Windows, &[("LOCALAPPDATA", "local")], "local/Volta/bin/tool-of-a-test.exe")]
#[case::winget(Platform::Windows, &[("LOCALAPPDATA", "local")], "local/Microsoft/WinGet/Links/tool-of-a-test.exe")]
#[case::nvm_on_windows(Platform::Windows, &[("APPDATA", "roaming")], "roaming/nvm/v22.1.0/tool-of-a-test.cmd")]
#[case::version_in_use(Platform::Windows, &[("NVM_SYMLINK", "now")], "now/tool-of-a-test.cmd")]
#[case::fnm_on_windows(
    Platform::Windows, &[("APPDATA", "roaming")], "roaming/fnm/node-versions/v22.1.0/installation/tool-of-a-test.cmd"
)]
#[case::scoop(Platform::Windows, &[], "home/scoop/shims/tool-of-a-test.cmd")]
#[case::scoop_elsewhere(Platform::Windows, &[("SCOOP", "s")], "s/shims/tool-of-a-test.exe")]
fn program_is_found_where_package_managers_put_it(
    #[case] platform: Platform,
    #[case] variables: &[(&str, &str)],
    #[case] place: &str,
) {
    let root = tempfile::tempdir().unwrap();
    program(&root.path().join(place));

    let found = resolve_command("tool-of-a-test", &surroundings(root.path(), platform, variables));

    assert_eq!(found, Some(root.path().join(place)));
}

#[rstest]
#[case::linux(Platform::Linux, &["/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"])]
#[case::mac(Platform::MacOs, &["/opt/homebrew/bin", "/usr/local/bin", "/opt/local/bin"])]
fn folders_of_the_machine_follow_the_path(#[case] platform: Platform, #[case] expected: &[&str]) {
    let folders = surroundings(Path::new("/r"), platform, &[("PATH", "a")]).folders();

    let expected: Vec<PathBuf> = ["/r/a"].iter().chain(expected).map(PathBuf::from).collect();
    assert_eq!(folders[..expected.len()], expected);
}

#[test]
fn newest_version_of_node_is_taken() {
    let root = tempfile::tempdir().unwrap();
    let versions = root.path().join("home/.nvm/versions/node");
    for version in ["v9.11.2", "v22.1.0", "v20.19.0"] {
        program(&versions.join(version).join("bin/tool-of-a-test"));
    }

    let found = resolve_command("tool-of-a-test", &surroundings(root.path(), Platform::Linux, &[]));

    assert_eq!(found, Some(versions.join("v22.1.0/bin/tool-of-a-test")));
}

#[cfg(unix)]
#[test]
fn path_comes_first_and_plain_files_are_no_programs() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (root.path().join("a"), root.path().join("b"));
    std::fs::create_dir_all(&first).unwrap();
    std::fs::write(first.join("tool-of-a-test"), "").unwrap();
    program(&second.join("tool-of-a-test"));
    program(&root.path().join("home/.local/bin/tool-of-a-test"));
    let path = std::env::join_paths([&first, &second]).unwrap();
    let home = Some(root.path().join("home"));
    let surroundings =
        Surroundings::new(Platform::Linux, home, |name| (name == "PATH").then(|| path.clone()));

    assert_eq!(resolve_command("tool-of-a-test", &surroundings), Some(second.join("tool-of-a-test")));
    assert_eq!(resolve_command(first.join("none").to_str().unwrap(), &surroundings), None);
}

#[test]
fn windows_tries_the_endings_of_programs() {
    let root = tempfile::tempdir().unwrap();
    let script = root.path().join("npx.cmd");
    program(&script);
    let windows = surroundings(root.path(), Platform::Windows, &[]);

    assert_eq!(Platform::Windows.file_names("npx"), ["npx.exe", "npx.cmd", "npx.bat"]);
    assert_eq!(Platform::Windows.file_names("npx.cmd"), ["npx.cmd"]);
    assert_eq!(resolve_command(script.with_extension("").to_str().unwrap(), &windows), Some(script));
}

#[cfg(unix)]
#[tokio::test]
async fn login_shell_finds_what_only_its_profile_knows() {
    let root = tempfile::tempdir().unwrap();
    let hidden = root.path().join("hidden/tool-of-a-test");
    program(&hidden);
    let shell = root.path().join("shell");
    program(&shell);
    let profile = format!("PATH={}:$PATH", hidden.parent().unwrap().display());
    std::fs::write(&shell, format!("#!/bin/sh\n{profile}\nalias other-tool=ls\neval \"$3\"\n")).unwrap();
    let with_shell = surroundings(root.path(), Platform::Linux, &[("SHELL", "shell")]);
    let without = surroundings(root.path(), Platform::Linux, &[]);

    assert_eq!(find_program("tool-of-a-test", &with_shell).await, Some(hidden));
    assert_eq!(find_program("other-tool", &with_shell).await, None);
    assert_eq!(find_program("tool-of-a-test", &without).await, None);
}
