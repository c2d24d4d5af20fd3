//! Parts that the fakes of desktop portals share.

use std::collections::HashMap;

use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};

/// The name of the portals on the bus.
pub(crate) const NAME: &str = "org.freedesktop.portal.Desktop";

/// The object that all portals are interfaces of.
pub(crate) const PORTAL: &str = "/org/freedesktop/portal/desktop";

/// Options of a call.
pub(crate) type Options = HashMap<String, OwnedValue>;

/// The object path that the portal and its caller derive from the token.
pub(crate) fn path_of(
    kind: &str,
    header: &Header<'_>,
    options: &Options,
    token: &str,
) -> zbus::fdo::Result<OwnedObjectPath> {
    let sender = header.sender().map(ToString::to_string).unwrap_or_default();
    let sender = sender.trim_start_matches(':').replace('.', "_");
    let path = format!("{PORTAL}/{kind}/{sender}/{}", text_in(options, token));
    OwnedObjectPath::try_from(path).map_err(|error| zbus::fdo::Error::InvalidArgs(error.to_string()))
}

/// Responds like a portal: returns the path of a request object, which then emits a code and results. Source of the codes:
/// "Request" of the XDG desktop portal documentation: 0 done, 1 cancelled, 2 ended otherwise.
pub(crate) async fn respond(
    bus: &zbus::Connection,
    header: &Header<'_>,
    options: &Options,
    response: (u32, HashMap<&str, Value<'_>>),
) -> zbus::fdo::Result<OwnedObjectPath> {
    let request = path_of("request", header, options, "handle_token")?;
    let to = header.sender().map(ToString::to_string);
    bus.emit_signal(to.as_deref(), &request, "org.freedesktop.portal.Request", "Response", &response).await?;
    Ok(request)
}

/// The text of an option; empty if it is missing.
pub(crate) fn text_in(options: &Options, name: &str) -> String {
    options.get(name).and_then(|value| String::try_from(value.clone()).ok()).unwrap_or_default()
}
