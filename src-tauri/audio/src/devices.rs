//! Lists the devices, and finds the one that a setting names.

use cpal::traits::{DeviceTrait, HostTrait};
use cpal::{Device, Host};

use crate::{AudioError, Side};

/// The devices of this machine, for `jarvis doctor` and the settings window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceReport {
    /// The input devices.
    pub microphones: Vec<DeviceInfo>,
    /// The output devices.
    pub speakers: Vec<DeviceInfo>,
}

/// One device of the sound card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name. The settings may contain any part of it.
    pub name: String,
    /// An empty setting means this device.
    pub is_default: bool,
}

/// Lists the devices. Some systems list devices that cannot be opened.
///
/// Blocks while the sound system answers, seconds at worst.
pub fn devices() -> DeviceReport {
    let host = sound_system();
    DeviceReport {
        microphones: device_infos(&host, Side::Microphone),
        speakers: device_infos(&host, Side::Loudspeaker),
    }
}

/// The sound system. It does not write to our terminal.
pub(crate) fn sound_system() -> Host {
    #[cfg(target_os = "linux")]
    silence_alsa();
    cpal::default_host()
}

/// Stops ALSA from writing to standard error for every device that it cannot open. Errors are still returned.
#[cfg(target_os = "linux")]
fn silence_alsa() {
    use std::ffi::{c_char, c_int};
    use std::sync::Once;

    extern "C" fn ignore_message(_: *const c_char, _: c_int, _: *const c_char, _: c_int, _: *const c_char) {}
    type ErrorHandler = extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char);
    type VariadicErrorHandler =
        unsafe extern "C" fn(*const c_char, c_int, *const c_char, c_int, *const c_char, ...);

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: in the C calling convention the caller removes the variadic arguments, so a function with only the
        // five named arguments can be called in the same way.
        let handler = unsafe { std::mem::transmute::<ErrorHandler, VariadicErrorHandler>(ignore_message) };
        // SAFETY: the function is static and accesses no memory.
        let error_code = unsafe { alsa_sys::snd_lib_error_set_handler(Some(handler)) };
        if error_code != 0 {
            tracing::debug!(error_code, "ALSA keeps writing to standard error");
        }
    });
}

fn device_infos(host: &Host, side: Side) -> Vec<DeviceInfo> {
    let default = default_device(host, side).and_then(|d| d.id().ok());
    let mut infos: Vec<DeviceInfo> = Vec::new();
    for device in all_devices(host, side) {
        let name = device_name(&device);
        let is_default = default.is_some() && device.id().ok() == default;
        match infos.iter_mut().find(|info| info.name == name) {
            Some(known) => known.is_default |= is_default,
            None => infos.push(DeviceInfo { name, is_default }),
        }
    }
    infos
}

/// The first device whose name contains `requested`, ignoring case; empty means the default.
///
/// Source: docs/behaviour/listening.md#capture; `default` and `system` are older spellings of empty.
pub(crate) fn find_device(host: &Host, side: Side, requested: &str) -> Result<Device, AudioError> {
    let requested = requested.trim();
    if ["", "default", "system"].contains(&requested.to_lowercase().as_str()) {
        return default_device(host, side).ok_or(AudioError::NoDevice { side });
    }
    let available = all_devices(host, side);
    let position = available.iter().position(|device| matches(device, requested));
    match position {
        Some(position) => Ok(available.into_iter().nth(position).expect("the position was just found")),
        None => Err(AudioError::NoSuchDevice {
            side,
            requested: requested.to_owned(),
            available: device_infos(host, side).into_iter().map(|info| info.name).collect(),
        }),
    }
}

/// The name that the user knows.
pub(crate) fn device_name(device: &Device) -> String {
    device.description().map_or_else(|_| device.to_string(), |d| d.name().to_owned())
}

fn matches(device: &Device, requested: &str) -> bool {
    let requested = requested.to_lowercase();
    let id = device.id().map(|id| id.to_string()).unwrap_or_default();
    [device_name(device), id].iter().any(|name| name.to_lowercase().contains(&requested))
}

fn default_device(host: &Host, side: Side) -> Option<Device> {
    match side {
        Side::Microphone => host.default_input_device(),
        Side::Loudspeaker => host.default_output_device(),
    }
}

/// All devices of one side. If the sound system fails, there are none: opening a device then returns the error.
fn all_devices(host: &Host, side: Side) -> Vec<Device> {
    match side {
        Side::Microphone => host.input_devices().map(Iterator::collect),
        Side::Loudspeaker => host.output_devices().map(Iterator::collect),
    }
    .unwrap_or_else(|error| {
        tracing::warn!(%side, %error, "the sound system did not list its devices");
        Vec::new()
    })
}
