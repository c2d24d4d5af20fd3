//! Tells the window's framework where its permissions are.

fn main() {
    #[cfg(feature = "desktop")]
    {
        println!("cargo::rerun-if-changed=src-tauri/desktop/capabilities");
        let attributes =
            tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/desktop/capabilities/*");
        tauri_build::try_build(attributes).expect("tauri.conf.json and the capabilities are valid");
    }
}
