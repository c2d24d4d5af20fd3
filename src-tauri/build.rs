//! Tells the window's framework where its permissions are, and the linker how to store relocations.

fn main() {
    pack_relocations();
    #[cfg(feature = "desktop")]
    {
        println!("cargo::rerun-if-changed=src-tauri/desktop/capabilities");
        println!("cargo::rerun-if-changed=src-tauri/desktop/permissions");
        let commands = tauri_build::AppManifest::new()
            .permissions_path_pattern("./src-tauri/desktop/permissions/*.toml");
        let attributes = tauri_build::Attributes::new()
            .capabilities_path_pattern("./src-tauri/desktop/capabilities/*")
            .app_manifest(commands);
        tauri_build::try_build(attributes).expect("tauri.conf.json and the capabilities are valid");
    }
}

/// Makes the linker store relocations in packed form, which takes 2 MB less in the file and in memory.
///
/// The program then needs glibc 2.36, so this is done only if it is built with that, or a newer one.
fn pack_relocations() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    let is_for_this_machine = std::env::var("TARGET").ok() == std::env::var("HOST").ok();
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("PROFILE", "release") && is_linux && is_for_this_machine && glibc_version() >= Some((2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of glibc on this machine; `None` if it is unknown.
fn glibc_version() -> Option<(u32, u32)> {
    let told = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
