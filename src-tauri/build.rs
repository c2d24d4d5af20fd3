//! Tells the window's framework where its permissions are.

fn main() {
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
