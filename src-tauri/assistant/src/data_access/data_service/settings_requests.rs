//! Requests about settings and secrets.

use secrecy::SecretString;
use settings::{BadValue, SettingsError};
use vocabulary::{Private, Stage, Trouble};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use crate::data_access::requests::{Response, SettingsAnswer, SettingsRequest};
use crate::other_programs::programs::{self, ProgramRefused};
use crate::secrets::secret_names;

impl DataService {
    pub(super) async fn run_settings(
        &self,
        request: SettingsRequest,
        responder: &Responder,
    ) -> Result<(), Failure> {
        match request {
            SettingsRequest::Current => {
                self.reread_settings().await?;
                let settings = &self.parts.settings;
                let values = serde_json::to_value(settings.current()).expect("settings are plain data");
                let bad_values = settings.bad_values().borrow().iter().map(BadValue::to_string).collect();
                responder.send(Response::Settings(SettingsAnswer::Current { values, bad_values })).await
            }
            SettingsRequest::Set { key, value } => {
                let settings = self.parts.settings.clone();
                let changed = tokio::task::spawn_blocking(move || settings.set(&key, value)).await?;
                // The error names the key and the values that it takes.
                changed.map_err(|error| match error {
                    SettingsError::BadValue(bad) => Failure::refused(bad.to_string()),
                    error => error.into(),
                })
            }
            SettingsRequest::SetSecret { name, secret } => self.set_secret(name, secret).await,
            SettingsRequest::AddProgram { name, may } => {
                let settings = self.parts.settings.clone();
                let adding = move || programs::add(&settings, &name, &may);
                let key = tokio::task::spawn_blocking(adding).await?.map_err(refused)?;
                responder.send(Response::Settings(SettingsAnswer::ProgramAdded { key })).await
            }
            SettingsRequest::RevokeProgram { name } => {
                let settings = self.parts.settings.clone();
                let revoking = move || programs::revoke(&settings, &name);
                tokio::task::spawn_blocking(revoking).await?.map_err(refused)
            }
        }
    }

    /// Takes in what the user's editor wrote since the last look.
    async fn reread_settings(&self) -> Result<(), Failure> {
        let settings = self.parts.settings.clone();
        Ok(tokio::task::spawn_blocking(move || settings.reread()).await??)
    }

    async fn set_secret(&self, name: String, secret: Option<Private<String>>) -> Result<(), Failure> {
        if !secret_names::is_known(&name) {
            let message = format!("There is no secret named {name}.");
            let remedy = format!(
                "Use {}, or mcp. and a name for a secret of a tool server.",
                secret_names::ALL.join(", ")
            );
            return Err(Failure::Trouble(Trouble::new(Stage::Settings, message, remedy)));
        }
        let secrets = self.parts.secrets.clone();
        let stored = tokio::task::spawn_blocking(move || match secret {
            Some(Private(secret)) => secrets.set(&name, &SecretString::from(secret)),
            None => secrets.delete(&name),
        });
        stored.await??;
        self.parts.secret_changed.notify_one();
        Ok(())
    }
}

fn refused(error: ProgramRefused) -> Failure {
    match error {
        ProgramRefused::Settings(error) => error.into(),
        error => Failure::refused(error.to_string()),
    }
}
