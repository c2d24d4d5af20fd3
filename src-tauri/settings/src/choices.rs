//! The settings with a fixed set of values: each has its values, their names for people and its type in one place.

use serde::{Deserialize, Serialize};

/// A value that a setting may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The value in the settings file.
    pub value: &'static str,
    /// Its name for people.
    pub label: &'static str,
}

/// Declares enums with the value in the settings file and the label of each variant.
macro_rules! choices {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$attribute:meta])* $variant:ident = $value:literal, $label:literal;)+ }
    )+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$attribute])* #[serde(rename = $value)] $variant,)+
        }

        impl $name {
            /// All variants, in the order of the settings window.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Their values and labels, in the same order.
            pub const CHOICES: &'static [Choice] = &[$(Choice { value: $value, label: $label },)+];

            /// The value in the settings file.
            pub fn value(self) -> &'static str {
                match self { $(Self::$variant => $value,)+ }
            }
        }
    )+};
}

choices! {
    /// A use that another program may make of Jarvis.
    Scope {
        /// Questions and orders, answered by the language model.
        #[default]
        Ask = "ask", "Ask";
        /// The tools of Jarvis, in the replies to this program.
        Tools = "tools", "Use tools";
        /// Memory, in the replies to this program and by search.
        Memory = "memory", "Read memory";
        /// Speech to text, and text to speech.
        Audio = "audio", "Hear and speak";
    }

    /// The position of the line with time and place in the messages to the model.
    ContextPosition {
        /// With the newest user message: all before it stays the same, so the model's prefix cache survives.
        #[default]
        NewestMessage = "newest_message", "With the question";
        /// At the top of the system message, as earlier versions of the flow had it.
        SystemTop = "system_top", "At the start";
        /// In a message of its own before the newest one, as the earlier document has it.
        OwnMessage = "own_message", "Own message";
    }

    /// The way in which tools and memory are chosen before the answer.
    Preparation {
        /// Without a model if selection is sure or the model chooses by itself, else in one call.
        #[default]
        Auto = "auto", "Automatic";
        /// Without a model.
        Local = "local", "Local";
        /// In one call.
        Combined = "combined", "Combined";
        /// By router, planner and extractor, each in a call of its own.
        Staged = "staged", "Staged";
    }

    /// The way in which the model calls tools.
    ProtocolChoice {
        /// Large models natively, small ones constrained.
        #[default]
        Auto = "auto", "Automatic";
        /// Through the provider's own interface.
        Native = "native", "Native";
        /// As text.
        Text = "text", "Text";
        /// As text, in a form that the provider enforces.
        Constrained = "constrained", "Constrained";
        /// Large models natively, small ones as text, as docs/behaviour/replying.md#size-of-a-model says.
        NativeOrText = "native_or_text", "Native or text";
        /// Always in JSON, with a hint of the tool that a request seems to mean: for models that know no other way.
        JsonHints = "json_hints", "JSON with hints";
    }

    /// The size that the model is treated as.
    SizeChoice {
        /// By the number of its parameters.
        #[default]
        Auto = "auto", "Automatic";
        /// As a small one.
        Small = "small", "Small";
        /// As a large one.
        Large = "large", "Large";
    }

    /// The persona that answers.
    Persona {
        /// One persona for everything.
        #[default]
        Unified = "unified", "Unified";
        /// A model chooses a profile for each request.
        Profiles = "profiles", "Profiles";
    }

    /// A manner of answering.
    Profile {
        /// Programming and technical questions.
        #[default]
        Developer = "developer", "Developer";
        /// Work, money, decisions.
        Business = "business", "Business";
        /// Everything of daily life.
        Life = "life", "Life";
    }

    /// For which models something is done.
    ForModel {
        /// For small models.
        #[default]
        Small = "auto", "Automatic";
        /// Always.
        Always = "on", "On";
        /// Never.
        Never = "off", "Off";
    }

    /// The way in which the tools for a query are chosen.
    SelectionStrategy {
        /// By words and by meaning.
        #[default]
        Hybrid = "hybrid", "Hybrid";
        /// A language model chooses, from a line for each tool.
        Llm = "llm", "Llm";
        /// Every tool that shares a word with the query.
        Keyword = "keyword", "Keyword";
        /// By meaning alone.
        Embedding = "embedding", "Embedding";
        /// Every tool.
        All = "all", "All";
    }

    /// The provider that runs the language model.
    Provider {
        /// The first that is ready.
        #[default]
        Auto = "auto", "Automatic";
        /// An Ollama server.
        Ollama = "ollama", "Ollama";
        /// A server of the OpenAI protocol.
        OpenAi = "openai", "A server like OpenAI’s";
        /// A server of the Anthropic protocol.
        Anthropic = "anthropic", "A server like Anthropic’s";
        /// The worker program of Jarvis.
        Embedded = "embedded", "Jarvis itself";
    }

    /// The engine that computes embeddings.
    Embeddings {
        /// A model of our own.
        #[default]
        Local = "local", "With its own model";
        /// The provider of the language model.
        Provider = "provider", "With the provider";
        /// Nothing: words alone find.
        Off = "off", "Off";
    }

    /// Colours of the windows.
    Theme {
        /// Those of the desktop.
        #[default]
        System = "system", "System";
        /// Light.
        Light = "light", "Light";
        /// Dark.
        Dark = "dark", "Dark";
    }

    /// Contrast of the windows.
    Contrast {
        /// That of the desktop.
        #[default]
        System = "system", "System";
        /// The usual one.
        Standard = "standard", "Standard";
        /// More than usual.
        More = "more", "More";
    }

    /// How long pauses may be inside what a user says.
    Patience {
        /// Two thirds of the usual pauses: for short requests.
        Quick = "quick", "Quick";
        /// The pauses of the settings.
        #[default]
        Normal = "normal", "Normal";
        /// Twice the usual pauses: for people who think while they speak.
        Patient = "patient", "Patient";
    }

    /// The panel that the tray icon is drawn for.
    TrayIcon {
        /// That of the desktop.
        #[default]
        System = "system", "System";
        /// A dark one.
        Dark = "dark", "Dark";
        /// A light one.
        Light = "light", "Light";
    }

    /// The form in which a Command Center gets the answer to a question.
    ValidationShape {
        /// As a result, like that of a tool.
        #[default]
        ToolResult = "tool_result", "As a result";
        /// As a text of its own, as older servers expect it.
        Text = "text", "As a text";
    }
}

impl Provider {
    /// Returns `true` if it may want a key from the keychain.
    pub fn takes_key(self) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic => true,
            Self::Auto | Self::Ollama | Self::Embedded => false,
        }
    }
}
