//! A fake panel with tray icons: registers icons, reads their menus, and clicks on entries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use zbus::blocking::fdo::DBusProxy;
use zbus::blocking::{Connection, Proxy, connection};
use zbus::message::Header;
use zbus::zvariant::{OwnedValue, Value};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// The time to wait until a program registers an icon.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Bus name and object path of each icon.
type Icons = Arc<Mutex<Vec<(String, String)>>>;

/// The fake panel.
pub struct TrayHost {
    bus: Connection,
    icons: Icons,
}

/// An entry of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuEntry {
    /// The text of the entry.
    pub label: String,
    /// `true` if the entry is checked.
    pub is_checked: bool,
    id: i32,
}

struct Watcher {
    icons: Icons,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, path_or_name: String, #[zbus(header)] header: Header<'_>) {
        let owner = header.sender().map(ToString::to_string).unwrap_or_default();
        let icon = match path_or_name.starts_with('/') {
            true => (owner, path_or_name),
            false => (path_or_name, "/StatusNotifierItem".to_owned()),
        };
        self.icons.lock().push(icon);
    }

    fn register_status_notifier_host(&self, _name: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        let icons = self.icons.lock();
        icons.iter().map(|(owner, path)| format!("{owner}{path}")).collect()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

impl TrayHost {
    /// Starts the panel on the bus at `address`.
    ///
    /// # Errors
    ///
    /// An error of the bus.
    pub fn start(address: &str) -> zbus::Result<Self> {
        let icons = Icons::default();
        let bus = connection::Builder::address(address)?
            .serve_at("/StatusNotifierWatcher", Watcher { icons: Arc::clone(&icons) })?
            .name(WATCHER)?
            .build()?;
        Ok(Self { bus, icons })
    }

    /// The path of the newest icon's image. Waits for an icon.
    ///
    /// # Errors
    ///
    /// An error of the bus, or no icon was registered in time.
    pub fn icon(&self) -> zbus::Result<String> {
        self.item()?.get_property("IconName")
    }

    /// The entries of the icon's menu from top to bottom, without separators.
    ///
    /// # Errors
    ///
    /// An error of the bus, or no icon was registered in time.
    pub fn menu(&self) -> zbus::Result<Vec<MenuEntry>> {
        type Layout = (u32, (i32, std::collections::HashMap<String, OwnedValue>, Vec<OwnedValue>));
        let names: &[&str] = &["label", "toggle-state"];
        let (_, (_, _, entries)): Layout = self.menu_proxy()?.call("GetLayout", &(0_i32, -1_i32, names))?;
        Ok(entries.iter().filter_map(|entry| entry_of(entry)).collect())
    }

    /// Clicks on an entry.
    ///
    /// # Errors
    ///
    /// An error of the bus, or the menu has no such entry.
    pub fn click(&self, label: &str) -> zbus::Result<()> {
        let entry = self.menu()?.into_iter().find(|entry| entry.label == label);
        let entry = entry.ok_or_else(|| zbus::Error::Failure(format!("the menu has no {label}")))?;
        self.menu_proxy()?.call("Event", &(entry.id, "clicked", Value::from(0_i32), 0_u32))
    }

    fn item(&self) -> zbus::Result<Proxy<'static>> {
        let deadline = Instant::now() + TIMEOUT;
        let owners = DBusProxy::new(&self.bus)?;
        loop {
            let icons = self.icons.lock().clone();
            for (owner, path) in icons.into_iter().rev() {
                // Ignores icons of programs that have ended.
                if owners.name_has_owner(owner.as_str().try_into()?)? {
                    return Proxy::new(&self.bus, owner, path, ITEM);
                }
            }
            if Instant::now() > deadline {
                return Err(zbus::Error::Failure("no icon was registered".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn menu_proxy(&self) -> zbus::Result<Proxy<'static>> {
        let item = self.item()?;
        let menu: zbus::zvariant::OwnedObjectPath = item.get_property("Menu")?;
        Proxy::new(&self.bus, item.destination().to_owned(), menu, MENU)
    }
}

fn entry_of(value: &Value<'_>) -> Option<MenuEntry> {
    let Value::Structure(fields) = value else { return None };
    let [Value::I32(id), Value::Dict(properties), _] = fields.fields() else { return None };
    let label: Option<String> = properties.get(&"label").ok().flatten();
    let checked: Option<i32> = properties.get(&"toggle-state").ok().flatten();
    let label = label.filter(|label| !label.is_empty())?;
    // An underscore marks the access key of an entry.
    Some(MenuEntry { label: label.replace('_', ""), is_checked: checked == Some(1), id: *id })
}
