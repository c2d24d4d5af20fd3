//! Which devices there are, and which one a setting means.

use cpal::traits::{DeviceTrait, HostTrait};
use cpal::{Device, Host};

use crate::{AudioError, Side};

/// What `jarvis doctor` and the settings window show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceReport {
    /// Where sound can come from.
    pub microphones: Vec<DeviceInfo>,
    /// Where sound can go.
    pub speakers: Vec<DeviceInfo>,
}

/// One device of the sound card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name; any part of it chooses it in the settings.
    pub name: String,
    /// It is what an empty setting means.
    pub is_default: bool,
}

/// Lists what is there. Being listed is no promise: some systems list devices that cannot be opened.
///
/// Blocks while the sound system is asked, seconds at worst.
pub fn devices() -> DeviceReport {
    let host = sound_system();
    DeviceReport { microphones: listed(&host, Side::Microphone), speakers: listed(&host, Side::Loudspeaker) }
}

/// The sound system, with its habit of writing to our terminal switched off.
pub(crate) fn sound_system() -> Host {
    #[cfg(target_os = "linux")]
    quiet_alsa();
    cpal::default_host()
}

/// ALSA writes to standard error for every device it tries and cannot open. What matters of it comes back as errors.
#[cfg(target_os = "linux")]
fn quiet_alsa() {
    use std::ffi::{c_char, c_int};
    use std::sync::Once;

    extern "C" fn say_nothing(_: *const c_char, _: c_int, _: *const c_char, _: c_int, _: *const c_char) {}
    type Quiet = extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char);
    type Variadic = unsafe extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char, ...);

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the caller passes the five named arguments as the C convention says and clears its variadic ones
        // away itself, so a function that takes only the five may stand in.
        let quiet = unsafe { std::mem::transmute::<Quiet, Variadic>(say_nothing) };
        // SAFETY: the function lives for ever and touches nothing.
        let refused = unsafe { alsa_sys::snd_lib_error_set_handler(Some(quiet)) };
        if refused != 0 {
            tracing::debug!(refused, "ALSA keeps writing to standard error");
        }
    });
}

fn listed(host: &Host, side: Side) -> Vec<DeviceInfo> {
    let default = default_device(host, side).and_then(|d| d.id().ok());
    let mut infos: Vec<DeviceInfo> = Vec::new();
    for device in all(host, side) {
        let name = device_name(&device);
        let is_default = default.is_some() && device.id().ok() == default;
        match infos.iter_mut().find(|info| info.name == name) {
            Some(known) => known.is_default |= is_default,
            None => infos.push(DeviceInfo { name, is_default }),
        }
    }
    infos
}

/// The device that a setting means: the first whose name contains it, whatever the case; empty is the default.
///
/// Source: behaviour reference, section 1.1; `default` and `system` are older spellings of empty.
pub(crate) fn chosen(host: &Host, side: Side, wanted: &str) -> Result<Device, AudioError> {
    let wanted = wanted.trim();
    if ["", "default", "system"].contains(&wanted.to_lowercase().as_str()) {
        return default_device(host, side).ok_or(AudioError::NoDevice { side });
    }
    let present = all(host, side);
    let position = present.iter().position(|device| is_meant(device, wanted));
    match position {
        Some(position) => Ok(present.into_iter().nth(position).expect("the position was just found")),
        None => Err(AudioError::NoSuchDevice {
            side,
            wanted: wanted.to_owned(),
            present: listed(host, side).into_iter().map(|info| info.name).collect(),
        }),
    }
}

/// What a person calls the device.
pub(crate) fn device_name(device: &Device) -> String {
    device.description().map_or_else(|_| device.to_string(), |d| d.name().to_owned())
}

fn is_meant(device: &Device, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let id = device.id().map(|id| id.to_string()).unwrap_or_default();
    [device_name(device), id].iter().any(|name| name.to_lowercase().contains(&wanted))
}

fn default_device(host: &Host, side: Side) -> Option<Device> {
    match side {
        Side::Microphone => host.default_input_device(),
        Side::Loudspeaker => host.default_output_device(),
    }
}

/// All devices of one side. A sound system that cannot be asked has none: opening one will say why.
fn all(host: &Host, side: Side) -> Vec<Device> {
    match side {
        Side::Microphone => host.input_devices().map(Iterator::collect),
        Side::Loudspeaker => host.output_devices().map(Iterator::collect),
    }
    .unwrap_or_else(|error| {
        tracing::warn!(%side, %error, "the sound system could not be asked for its devices");
        Vec::new()
    })
}
