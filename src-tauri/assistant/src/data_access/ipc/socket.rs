//! The place where the socket is, and who may open it.

use std::io;
use std::path::{Path, PathBuf};

use interprocess::local_socket::tokio::{Listener, prelude::*};
use interprocess::local_socket::{GenericFilePath, ListenerOptions, Name};

/// Begins to listen for callers at the socket of `data_folder`.
pub(crate) fn listen(data_folder: &Path) -> io::Result<Listener> {
    make_private(data_folder)?;
    // This process holds the lock of the data: a socket that a crash left behind has no owner.
    let options = ListenerOptions::new().name(name_in(data_folder)?).try_overwrite(true);
    #[cfg(windows)]
    let options = owner_only(options)?;
    let listener = options.create_tokio()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(socket_path(data_folder), std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(listener)
}

/// The name of the socket in `data_folder`.
pub(super) fn name_in(data_folder: &Path) -> io::Result<Name<'static>> {
    socket_path(data_folder).to_fs_name::<GenericFilePath>().map(|name| name.into_owned())
}

fn socket_path(data_folder: &Path) -> PathBuf {
    if cfg!(windows) {
        let folder = data_folder.to_string_lossy().replace(['\\', '/', ':'], "-");
        PathBuf::from(format!(r"\\.\pipe\jarvis-{folder}"))
    } else {
        data_folder.join("jarvis.sock")
    }
}

/// Lets only this user into the folder, before there is a socket in it that others could open.
#[cfg(unix)]
fn make_private(data_folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(data_folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Lets only the owner of the pipe, who is this user, open it.
#[cfg(windows)]
fn owner_only(options: ListenerOptions<'_>) -> io::Result<ListenerOptions<'_>> {
    use interprocess::os::windows::local_socket::ListenerOptionsExt;
    use interprocess::os::windows::security_descriptor::SecurityDescriptor;
    // A protected access list (P) with one entry: allow (A) everything (GA) to the owner (OW).
    let only_owner = SecurityDescriptor::deserialize(widestring::u16cstr!("D:P(A;;GA;;;OW)"))?;
    Ok(options.security_descriptor(only_owner))
}
