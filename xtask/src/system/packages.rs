//! The system packages that are needed, by their name on each system.

use crate::process::works;

/// One thing that is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// A description for people.
    what: &'static str,
    /// A command that works once it is there, with its arguments; asked on every system.
    sign: Option<(&'static str, &'static [&'static str])>,
    /// Its names for apt-get.
    pub debian: &'static [&'static str],
    fedora: &'static [&'static str],
    arch: &'static [&'static str],
    /// Words of a command line that installs it on macOS.
    macos: Option<&'static str>,
    windows: Option<&'static str>,
}

/// The needs of building and running.
const TO_RUN: [Need; 8] = [
    Need {
        what: "a C and C++ compiler",
        sign: Some(("c++", &["--version"])),
        debian: &["build-essential"],
        fedora: &["gcc", "gcc-c++", "make"],
        arch: &["base-devel"],
        macos: Some("xcode-select --install"),
        windows: Some("winget install Microsoft.VisualStudio.2022.BuildTools"),
    },
    Need {
        what: "CMake",
        sign: Some(("cmake", &["--version"])),
        debian: &["cmake"],
        fedora: &["cmake"],
        arch: &["cmake"],
        macos: Some("brew install cmake"),
        windows: Some("winget install Kitware.CMake"),
    },
    Need {
        what: "libclang",
        sign: None,
        debian: &["libclang-dev"],
        fedora: &["clang-devel"],
        arch: &["clang"],
        macos: None,
        windows: Some("winget install LLVM.LLVM"),
    },
    Need {
        what: "the ALSA headers",
        sign: Some(("pkg-config", &["--exists", "alsa"])),
        debian: &["pkg-config", "libasound2-dev"],
        fedora: &["pkgconf-pkg-config", "alsa-lib-devel"],
        arch: &["pkgconf", "alsa-lib"],
        macos: None,
        windows: None,
    },
    Need {
        what: "espeak-ng, which tells the voices how words sound",
        sign: Some(("espeak-ng", &["--version"])),
        debian: &["espeak-ng"],
        fedora: &["espeak-ng"],
        arch: &["espeak-ng"],
        macos: Some("brew install espeak-ng"),
        windows: Some("winget install eSpeak-NG.eSpeak-NG"),
    },
    Need {
        what: "WebKitGTK, which shows the windows",
        sign: Some(("pkg-config", &["--exists", "webkit2gtk-4.1"])),
        debian: &["libwebkit2gtk-4.1-dev"],
        fedora: &["webkit2gtk4.1-devel"],
        arch: &["webkit2gtk-4.1"],
        macos: None,
        windows: None,
    },
    Need {
        what: "OpenSSL's headers, with whose ciphers the memory is encrypted",
        sign: Some(("pkg-config", &["--exists", "libcrypto"])),
        debian: &["libssl-dev"],
        fedora: &["openssl-devel"],
        arch: &["openssl"],
        macos: None,
        windows: None,
    },
    Need {
        what: "the library of the tray",
        sign: Some(("pkg-config", &["--exists", "ayatana-appindicator3-0.1"])),
        debian: &["libayatana-appindicator3-dev"],
        fedora: &["libayatana-appindicator-gtk3-devel"],
        arch: &["libayatana-appindicator"],
        macos: None,
        windows: None,
    },
];

/// The further needs of the tests: a sound card, a keychain and a display that exist only in memory.
const TO_TEST: [Need; 13] = [
    Need {
        what: "Tesseract, which reads the text on the screen",
        sign: Some(("tesseract", &["--version"])),
        debian: &["tesseract-ocr"],
        fedora: &["tesseract"],
        arch: &["tesseract", "tesseract-data-eng"],
        macos: Some("brew install tesseract"),
        windows: None,
    },
    Need {
        what: "a program that takes pictures of the screen",
        sign: Some(("scrot", &["--version"])),
        debian: &["scrot"],
        fedora: &["scrot"],
        arch: &["scrot"],
        macos: None,
        windows: None,
    },
    Need {
        what: "PulseAudio",
        sign: Some(("pulseaudio", &["--version"])),
        debian: &["pulseaudio"],
        fedora: &["pulseaudio"],
        arch: &["pulseaudio"],
        macos: None,
        windows: None,
    },
    Need {
        what: "PulseAudio's tools",
        sign: Some(("pactl", &["--version"])),
        debian: &["pulseaudio-utils"],
        fedora: &["pulseaudio-utils"],
        arch: &["libpulse"],
        macos: None,
        windows: None,
    },
    Need {
        what: "the way from ALSA to PulseAudio",
        sign: None,
        debian: &["libasound2-plugins"],
        fedora: &["alsa-plugins-pulseaudio"],
        arch: &["alsa-plugins"],
        macos: None,
        windows: None,
    },
    Need {
        what: "a message bus",
        sign: Some(("dbus-daemon", &["--version"])),
        debian: &["dbus"],
        fedora: &["dbus-daemon"],
        arch: &["dbus"],
        macos: None,
        windows: None,
    },
    Need {
        what: "a message bus for one program",
        sign: None,
        debian: &["dbus-x11"],
        fedora: &["dbus-x11"],
        arch: &["dbus"],
        macos: None,
        windows: None,
    },
    Need {
        what: "a keychain",
        sign: Some(("gnome-keyring-daemon", &["--version"])),
        debian: &["gnome-keyring"],
        fedora: &["gnome-keyring"],
        arch: &["gnome-keyring"],
        macos: None,
        windows: None,
    },
    Need {
        what: "a virtual display",
        sign: None,
        debian: &["xvfb"],
        fedora: &["xorg-x11-server-Xvfb"],
        arch: &["xorg-server-xvfb"],
        macos: None,
        windows: None,
    },
    Need {
        what: "keyboard input for a virtual display",
        sign: Some(("xdotool", &["version"])),
        debian: &["xdotool"],
        fedora: &["xdotool"],
        arch: &["xdotool"],
        macos: None,
        windows: None,
    },
    Need {
        what: "screenshots of a virtual display",
        sign: Some(("import", &["-version"])),
        debian: &["imagemagick"],
        fedora: &["ImageMagick"],
        arch: &["imagemagick"],
        macos: None,
        windows: None,
    },
    Need {
        what: "curl, which asks as another program",
        sign: Some(("curl", &["--version"])),
        debian: &["curl"],
        fedora: &["curl"],
        arch: &["curl"],
        macos: None,
        windows: None,
    },
    Need {
        what: "the driver that clicks in WebKitGTK",
        sign: None,
        debian: &["webkit2gtk-driver"],
        fedora: &["webkit2gtk-driver"],
        arch: &["webkitgtk-6.0"],
        macos: None,
        windows: None,
    },
];

/// Python with its package installer, for models out of packages.
pub const PYTHON: [Need; 1] = [Need {
    what: "Python with pip",
    sign: Some(("python3", &["-m", "pip", "--version"])),
    debian: &["python3", "python3-pip"],
    fedora: &["python3", "python3-pip"],
    arch: &["python", "python-pip"],
    macos: Some("brew install python"),
    windows: Some("winget install Python.Python.3.12"),
}];

/// Returns the needs of building and running, and of the tests if `tests`.
pub fn needs(tests: bool) -> Vec<Need> {
    let more: &[Need] = if tests { &TO_TEST } else { &[] };
    [&TO_RUN, more].concat()
}

impl Need {
    /// Returns `true` if it is installed: its command works or, on Debian, the package manager lists it. What this
    /// system does not need, or what cannot be checked outside Debian, counts as installed: the build will show it.
    pub fn is_met(&self, is_debian: bool, has_debian_package: impl Fn(&str) -> bool) -> bool {
        let is_needed_here = match std::env::consts::OS {
            "macos" => self.macos.is_some(),
            "windows" => self.windows.is_some(),
            _ => true,
        };
        let shows = match self.sign {
            Some((program, arguments)) => works(program, arguments),
            None => !is_debian,
        };
        !is_needed_here || shows || (is_debian && self.debian.iter().all(|name| has_debian_package(name)))
    }
}

/// Returns the commands to type on a system where we cannot install by ourselves.
pub fn instructions(missing: &[&Need], os: &str, os_release: &str) -> String {
    let what = missing.iter().map(|need| need.what).collect::<Vec<_>>().join(", ");
    let all = |names: fn(&Need) -> &'static [&'static str]| {
        missing.iter().flat_map(|need| names(need)).copied().collect::<Vec<_>>().join(" ")
    };
    let each = |command: fn(&Need) -> Option<&'static str>| {
        missing.iter().filter_map(|need| command(need)).collect::<Vec<_>>().join("\n  ")
    };
    let commands = match (os, family_of(os_release)) {
        ("macos", _) => each(|need| need.macos),
        ("windows", _) => each(|need| need.windows),
        (_, Family::Fedora) => format!("sudo dnf install {}", all(|need| need.fedora)),
        (_, Family::Arch) => format!("sudo pacman -S --needed {}", all(|need| need.arch)),
        (_, Family::Other) => {
            format!("install what your system calls: {}", all(|need| need.debian))
        }
    };
    format!("missing: {what}\nInstall it, then try again:\n  {commands}")
}

#[derive(PartialEq, Eq)]
enum Family {
    Fedora,
    Arch,
    Other,
}

/// Which package manager a Linux has, by its own description.
fn family_of(os_release: &str) -> Family {
    let ids: Vec<_> = os_release
        .lines()
        .filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")))
        .flat_map(|ids| ids.trim_matches('"').split(' '))
        .collect();
    if ids.iter().any(|id| matches!(*id, "fedora" | "rhel" | "centos")) {
        Family::Fedora
    } else if ids.contains(&"arch") {
        Family::Arch
    } else {
        Family::Other
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::fedora("linux", "NAME=Fedora\nID=fedora\n", "sudo dnf install cmake espeak-ng")]
    #[case::like_fedora(
        "linux",
        "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n",
        "sudo dnf install cmake espeak-ng"
    )]
    #[case::arch("linux", "ID=manjaro\nID_LIKE=arch\n", "sudo pacman -S --needed cmake espeak-ng")]
    #[case::unknown("linux", "ID=void\n", "install what your system calls: cmake espeak-ng")]
    #[case::macos("macos", "", "brew install cmake\n  brew install espeak-ng")]
    #[case::windows("windows", "", "winget install Kitware.CMake\n  winget install eSpeak-NG.eSpeak-NG")]
    fn says_what_to_type_on_each_system(#[case] os: &str, #[case] release: &str, #[case] expected: &str) {
        let missing = [&TO_RUN[1], &TO_RUN[4]];

        let told = instructions(&missing, os, release);

        let what = "missing: CMake, espeak-ng, which tells the voices how words sound";
        assert_eq!(told, format!("{what}\nInstall it, then try again:\n  {expected}"));
    }
}
