//! Everything that a reply does differently for small and large models, and for the ways in which they call tools.
//!
//! Made once for each reply. A model that is too small for a task gets help from rules here, and nowhere else.

use llm::ModelSize;
use settings::{ContextPosition, ForModel, ProtocolChoice};

use crate::config::ReplyingConfig;
use crate::prompting::prompts::SystemTemplates;
use crate::tool_calls::tool_protocol::ToolProtocol;

/// The differences of a reply for its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelPolicy {
    /// The size that the model is treated as.
    pub size: ModelSize,
    /// The templates of the system message.
    pub templates: &'static SystemTemplates,
    /// The newest message names the place only if the request or an offered tool needs it: small models take it for a part of
    /// the answer.
    pub tells_place_if_needed: bool,
    /// To answer freely, the model does not see the exchanges that no model worded: a small one goes on like them.
    pub hides_exchanges_of_rules: bool,
    /// Rules may answer one of two parts of a request. Large models do better with the whole.
    pub halves_requests: bool,
    /// A fixed sentence says that nothing is known: a small model makes something up, whatever it is told.
    pub admits_unknown: bool,
    /// Rules answer what no model can know or do, and judge each sentence before it is shown: a small model makes values up,
    /// and claims what it has not done.
    pub guards_answers: bool,
    /// When a model call shortens what memory found.
    pub memory_digest: MemoryDigest,
    /// A model call shortens the results of tools.
    pub digests_results: bool,
    /// Answers that tools worded end the reply: a small model only repeats them, and perhaps wrongly.
    pub tools_may_answer: bool,
    /// A fixed sentence says that no call ran: a small model claims that they did.
    pub tells_undone: bool,
    /// After a malformed answer the results of the tools are said as they are.
    pub quotes_results: bool,
    /// The apology for a malformed answer recommends a larger model.
    pub recommends_larger_model: bool,
    /// Its way of calling tools.
    pub tools: ToolPolicy,
}

/// When a model call shortens what memory found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryDigest {
    /// No digest is made.
    Never,
    /// `true` if preparation asked a model too, so that the reply is not quick anyway.
    AfterOtherCalls,
    /// Each long text is digested.
    Always,
}

/// The differences of a reply for one way of calling tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolPolicy {
    /// The way in which tools are offered and called.
    pub protocol: ToolProtocol,
    /// The prepared tools that are offered.
    pub offer: ToolOffer,
    /// The two tools that end a reply and find more tools are offered too. A model that chooses in an enforced form has
    /// the best tools before it, and rules know when it is dismissed.
    pub offers_core_tools: bool,
    /// The model chooses among many tools by itself, so that preparation asks no other one.
    pub chooses_itself: bool,
    /// Plans, and requests of two parts, are followed step by step.
    pub follows_steps: bool,
    /// An argument that stands in no text is taken for invented: an enforced form makes the model fill all of them in.
    pub checks_arguments: bool,
    /// If the model says nothing in the end, a model call words what was done. A tiny model recites it instead, so there the
    /// results of the tools are said as they are.
    pub digests_activity: bool,
}

/// The prepared tools that are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolOffer {
    /// These.
    Prepared,
    /// These and those of earlier replies. The provider reads them before the dialogue, so its prefix cache holds.
    Growing,
    /// Those that fit the query: a small model that is shown tools takes one.
    Fitting,
}

/// The model that answers, as far as a protocol of other programs treats models differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweringModel {
    /// It is treated as a small one.
    pub is_small: bool,
    /// Tools are offered to it and called natively.
    pub calls_natively: bool,
}

impl ModelPolicy {
    /// The policy for a model of this size.
    pub fn new(config: &ReplyingConfig, size: ModelSize) -> Self {
        let is_small = size == ModelSize::Small;
        let is_guarded = is_small && config.guards_answers;
        Self {
            size,
            templates: SystemTemplates::for_size(size),
            tells_place_if_needed: is_small && config.context_position == ContextPosition::NewestMessage,
            hides_exchanges_of_rules: is_small,
            halves_requests: is_guarded,
            admits_unknown: is_guarded,
            guards_answers: is_guarded,
            memory_digest: match (config.memory_digest, is_small) {
                (ForModel::Always, _) => MemoryDigest::Always,
                (ForModel::Small, true) => MemoryDigest::AfterOtherCalls,
                (ForModel::Small, false) | (ForModel::Never, _) => MemoryDigest::Never,
            },
            digests_results: match config.tool_digest {
                ForModel::Always => true,
                ForModel::Small => is_small,
                ForModel::Never => false,
            },
            tools_may_answer: is_guarded,
            tells_undone: is_guarded,
            quotes_results: is_guarded,
            recommends_larger_model: is_small,
            tools: ToolPolicy::new(match (config.tool_protocol, size) {
                (ProtocolChoice::Native, _) => ToolProtocol::Native,
                (ProtocolChoice::Text, _) => ToolProtocol::Text,
                (ProtocolChoice::Constrained, _) => ToolProtocol::Constrained,
                (ProtocolChoice::JsonHints, _) => ToolProtocol::JsonHints,
                (ProtocolChoice::Auto | ProtocolChoice::NativeOrText, ModelSize::Large) => {
                    ToolProtocol::Native
                }
                (ProtocolChoice::Auto, ModelSize::Small) => ToolProtocol::Constrained,
                (ProtocolChoice::NativeOrText, ModelSize::Small) => ToolProtocol::Text,
            }),
        }
    }

    /// The part that doors are told.
    pub fn answering_model(self) -> AnsweringModel {
        let is_small = self.size == ModelSize::Small;
        AnsweringModel { is_small, calls_natively: self.tools.protocol == ToolProtocol::Native }
    }

    /// The policy after the model rejected a request because of the tools in it.
    pub fn after_rejection(self) -> Self {
        Self { tools: ToolPolicy::new(ToolProtocol::Text), ..self }
    }
}

impl ToolPolicy {
    fn new(protocol: ToolProtocol) -> Self {
        let is_enforced = protocol == ToolProtocol::Constrained;
        Self {
            protocol,
            offer: match protocol {
                ToolProtocol::Native => ToolOffer::Growing,
                ToolProtocol::Text | ToolProtocol::JsonHints => ToolOffer::Prepared,
                ToolProtocol::Constrained => ToolOffer::Fitting,
            },
            offers_core_tools: !is_enforced,
            chooses_itself: !matches!(protocol, ToolProtocol::Text | ToolProtocol::JsonHints),
            follows_steps: protocol != ToolProtocol::Native,
            checks_arguments: is_enforced,
            digests_activity: !is_enforced,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::Settings;

    use super::*;

    const LARGE_NATIVE: &str = "native growing core chooses digests-activity, memory never";
    const LARGE_TEXT: &str = "text prepared core steps digests-activity, memory never";
    const LARGE_CONSTRAINED: &str = "constrained fitting chooses steps checks, memory never";
    const LARGE_JSON: &str = "jsonhints prepared core steps digests-activity, memory never";
    const SMALL: &str =
        "short place-if-needed hides halves admits guards digests-results tools-answer undone quotes larger";

    /// The effects of a policy, in words.
    fn line(policy: ModelPolicy) -> String {
        let ModelPolicy { templates, memory_digest, tools, .. } = policy;
        let flags = [
            (templates == SystemTemplates::for_size(ModelSize::Small), "short"),
            (policy.tells_place_if_needed, "place-if-needed"),
            (policy.hides_exchanges_of_rules, "hides"),
            (policy.halves_requests, "halves"),
            (policy.admits_unknown, "admits"),
            (policy.guards_answers, "guards"),
            (policy.digests_results, "digests-results"),
            (policy.tools_may_answer, "tools-answer"),
            (policy.tells_undone, "undone"),
            (policy.quotes_results, "quotes"),
            (policy.recommends_larger_model, "larger"),
        ];
        let tool_flags = [
            (tools.offers_core_tools, "core"),
            (tools.chooses_itself, "chooses"),
            (tools.follows_steps, "steps"),
            (tools.checks_arguments, "checks"),
            (tools.digests_activity, "digests-activity"),
        ];
        let set = |flags: &[(bool, &str)]| {
            let set = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| format!("{name} "));
            set.collect::<String>()
        };
        let names = format!("{:?} {:?} ", tools.protocol, tools.offer).to_lowercase();
        let memory = format!("{memory_digest:?}").to_lowercase();
        format!("{}{names}{}, memory {memory}", set(&flags), set(&tool_flags).trim_end())
    }

    fn policy(size: ModelSize, protocol: ProtocolChoice) -> ModelPolicy {
        let mut settings = Settings::default();
        settings.replying.tool_protocol = protocol;
        ModelPolicy::new(&ReplyingConfig::try_from(&settings).unwrap(), size)
    }

    #[rstest]
    #[case::auto(ProtocolChoice::Auto, LARGE_NATIVE)]
    #[case::native_or_text(ProtocolChoice::NativeOrText, LARGE_NATIVE)]
    #[case::native(ProtocolChoice::Native, LARGE_NATIVE)]
    #[case::text(ProtocolChoice::Text, LARGE_TEXT)]
    #[case::constrained(ProtocolChoice::Constrained, LARGE_CONSTRAINED)]
    #[case::json_hints(ProtocolChoice::JsonHints, LARGE_JSON)]
    fn large_model_decides_by_itself(#[case] protocol: ProtocolChoice, #[case] expected: &str) {
        assert_eq!(line(policy(ModelSize::Large, protocol)), expected);
    }

    #[rstest]
    #[case::auto(ProtocolChoice::Auto, "constrained fitting chooses steps checks")]
    #[case::native_or_text(ProtocolChoice::NativeOrText, "text prepared core steps digests-activity")]
    #[case::native(ProtocolChoice::Native, "native growing core chooses digests-activity")]
    #[case::text(ProtocolChoice::Text, "text prepared core steps digests-activity")]
    #[case::constrained(ProtocolChoice::Constrained, "constrained fitting chooses steps checks")]
    #[case::json_hints(ProtocolChoice::JsonHints, "jsonhints prepared core steps digests-activity")]
    fn small_model_is_helped_by_rules(#[case] protocol: ProtocolChoice, #[case] tools: &str) {
        let expected = format!("{SMALL} {tools}, memory afterothercalls");

        assert_eq!(line(policy(ModelSize::Small, protocol)), expected);
    }

    #[rstest]
    #[case::small_always(ModelSize::Small, ForModel::Always, (MemoryDigest::Always, true))]
    #[case::small_never(ModelSize::Small, ForModel::Never, (MemoryDigest::Never, false))]
    #[case::large_always(ModelSize::Large, ForModel::Always, (MemoryDigest::Always, true))]
    #[case::large_never(ModelSize::Large, ForModel::Never, (MemoryDigest::Never, false))]
    fn settings_decide_what_is_shortened(
        #[case] size: ModelSize,
        #[case] setting: ForModel,
        #[case] expected: (MemoryDigest, bool),
    ) {
        let mut settings = Settings::default();
        settings.replying.memory_digest = setting;
        settings.replying.tool_digest = setting;

        let policy = ModelPolicy::new(&ReplyingConfig::try_from(&settings).unwrap(), size);

        assert_eq!((policy.memory_digest, policy.digests_results), expected);
    }

    #[test]
    fn small_model_without_guards_differs_in_its_protocol_and_digests() {
        let mut settings = Settings::default();
        settings.replying.tool_protocol = ProtocolChoice::Text;
        let config = ReplyingConfig { guards_answers: false, ..ReplyingConfig::try_from(&settings).unwrap() };

        let policy = line(ModelPolicy::new(&config, ModelSize::Small));

        let expected =
            "short place-if-needed hides digests-results larger text prepared core steps digests-activity";
        assert_eq!(policy, format!("{expected}, memory afterothercalls"));
    }

    #[rstest]
    #[case::top(ContextPosition::SystemTop)]
    #[case::own_message(ContextPosition::OwnMessage)]
    fn place_stands_with_the_time_in_the_older_positions(#[case] position: ContextPosition) {
        let mut settings = Settings::default();
        settings.replying.context_position = position;

        let policy = ModelPolicy::new(&ReplyingConfig::try_from(&settings).unwrap(), ModelSize::Small);

        assert!(!policy.tells_place_if_needed);
    }

    #[rstest]
    #[case::large(ModelSize::Large, ProtocolChoice::Auto, (false, true))]
    #[case::small(ModelSize::Small, ProtocolChoice::Auto, (true, false))]
    #[case::small_with_native_calls(ModelSize::Small, ProtocolChoice::Native, (true, true))]
    #[case::large_with_tools_in_its_prompt(ModelSize::Large, ProtocolChoice::Text, (false, false))]
    #[case::large_with_hints(ModelSize::Large, ProtocolChoice::JsonHints, (false, false))]
    fn doors_are_told_size_and_way_of_calling(
        #[case] size: ModelSize,
        #[case] protocol: ProtocolChoice,
        #[case] expected: (bool, bool),
    ) {
        let model = policy(size, protocol).answering_model();

        assert_eq!((model.is_small, model.calls_natively), expected);
    }

    #[test]
    fn model_that_rejects_tools_calls_them_as_text() {
        let policy = policy(ModelSize::Large, ProtocolChoice::Native).after_rejection();

        assert_eq!(line(policy), LARGE_TEXT);
        assert!(!policy.answering_model().calls_natively);
    }
}
