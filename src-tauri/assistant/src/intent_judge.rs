//! The intent judge: the language model for short tasks tells whom an utterance was meant for.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use listening::judge::{IntentJudge, JudgeError, JudgePrompt};
use llm::{ChatEvent, ChatModel, ChatRequest, LlmError, Message};
use tokio_util::sync::CancellationToken;

/// The most tokens of an answer. Source: docs/behaviour/listening.md#intent-judge.
const MAX_TOKENS: u32 = 200;

/// Asks a language model.
pub(crate) struct ModelJudge(pub Arc<dyn ChatModel>);

impl ModelJudge {
    async fn answer(&self, prompt: JudgePrompt, stop: CancellationToken) -> Result<String, LlmError> {
        let messages = vec![Message::system(prompt.system), Message::user(prompt.user)];
        let mut request = ChatRequest::new(messages).with_max_tokens(MAX_TOKENS).with_temperature(0.0);
        request.format = Some(JudgePrompt::schema());
        let mut stream = self.0.chat(request, stop).await?;
        let mut answer = String::new();
        while let Some(event) = stream.next().await {
            if let ChatEvent::Text(text) = event? {
                answer.push_str(&text);
            }
        }
        Ok(answer)
    }
}

#[async_trait]
impl IntentJudge for ModelJudge {
    async fn ask(&self, prompt: JudgePrompt, stop: CancellationToken) -> Result<String, JudgeError> {
        self.answer(prompt, stop).await.map_err(|error| {
            tracing::warn!(%error, "the intent judge did not answer");
            match error {
                LlmError::Unreachable { .. } | LlmError::NoProvider { .. } => JudgeError::Unreachable,
                LlmError::TimedOut { .. } => JudgeError::TooSlow,
                _ => JudgeError::Failed,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use listening::{ListeningConfig, ListeningEvent, ListeningInputs};
    use llm::ProviderKind;
    use settings::Settings;
    use testkit::{ScriptedModel, Turn};
    use tokio::sync::{broadcast, mpsc, watch};
    use vocabulary::{HearingEvent, SpeechEvent, Utterance, UtteranceId, VoiceMatch};

    use super::*;

    /// Listening with a model that judges.
    struct Listening {
        heard: mpsc::Sender<HearingEvent>,
        events: mpsc::Receiver<ListeningEvent>,
        started_at: Instant,
        utterances: u64,
        model: Arc<ScriptedModel>,
        _speech: broadcast::Sender<SpeechEvent>,
        _config: watch::Sender<ListeningConfig>,
        _doors: mpsc::Sender<listening::DoorEvent>,
        _stop: tokio_util::sync::DropGuard,
    }

    impl Listening {
        fn with_answers(turns: impl IntoIterator<Item = Turn>) -> Self {
            let model = Arc::new(ScriptedModel::new(turns));
            let (heard, to_listener) = mpsc::channel(8);
            let (_speech, speech) = broadcast::channel(8);
            let (_doors, doors) = mpsc::channel(8);
            let (sent, events) = mpsc::channel(8);
            let config = ListeningConfig::try_from(&Settings::default()).unwrap();
            let (_config, config) = watch::channel(config);
            let stop = CancellationToken::new();
            let judge = ModelJudge(Arc::clone(&model) as Arc<dyn ChatModel>);
            let judge: Option<Arc<dyn IntentJudge>> = Some(Arc::new(judge));
            let inputs = ListeningInputs {
                heard: to_listener,
                speech,
                doors,
                judge,
                config,
                needs_all_words: watch::channel(false).0,
                events: sent,
            };
            tokio::spawn(listening::run(inputs, stop.clone()));
            let (started_at, _stop) = (Instant::now(), stop.drop_guard());
            Self { heard, events, started_at, utterances: 0, model, _speech, _config, _doors, _stop }
        }

        /// Says this, five seconds after what was said before.
        async fn hear(&mut self, text: &str) {
            self.utterances += 1;
            let started_at = self.started_at + Duration::from_secs(5 * self.utterances);
            let utterance = Utterance {
                id: UtteranceId(self.utterances),
                text: text.into(),
                language: None,
                started_at,
                ended_at: started_at + Duration::from_secs(1),
                energy_rms: 0.05,
                echo_share: 0.0,
                confidence: 0.9,
                voice: VoiceMatch::NotJudged,
            };
            self.heard.send(HearingEvent::Heard(utterance)).await.unwrap();
        }

        /// The next query; `None` for words that are not meant for us.
        async fn next_query(&mut self) -> Option<String> {
            loop {
                match self.events.recv().await.unwrap() {
                    ListeningEvent::Directed { query, .. } => return Some(query),
                    ListeningEvent::Overheard { .. } => return None,
                    _ => {}
                }
            }
        }
    }

    fn verdict(is_directed: bool, query: &str) -> Turn {
        let answer = serde_json::json!({
            "directed": is_directed, "query": query, "stop": false, "confidence": "high", "reasoning": "",
        });
        Turn::says(&answer.to_string())
    }

    #[tokio::test]
    async fn question_about_a_talk_carries_its_topic() {
        let mut listening = Listening::with_answers([verdict(true, "Should the kitchen be green or blue?")]);

        listening.hear("I would paint the kitchen green.").await;
        assert_eq!(listening.next_query().await, None);
        listening.hear("Blue is nicer.").await;
        assert_eq!(listening.next_query().await, None);
        listening.hear("Jarvis, what do you think?").await;

        let query = listening.next_query().await;
        assert_eq!(query.as_deref(), Some("Should the kitchen be green or blue?"));
        let asked = listening.model.asked();
        assert!(
            asked[0].format.is_some() && asked[0].messages[1].content.contains("paint the kitchen green")
        );
    }

    #[tokio::test]
    async fn talk_about_the_assistant_is_not_answered() {
        let mut listening = Listening::with_answers([verdict(false, "")]);

        listening.hear("I told Jarvis about the kitchen yesterday.").await;

        assert_eq!(listening.next_query().await, None);
        assert_eq!(listening.model.asked().len(), 1);
    }

    #[tokio::test]
    async fn clear_order_is_taken_while_the_judge_hangs() {
        let mut listening = Listening::with_answers([Turn::hangs_after("{")]);

        listening.hear("I told Jarvis about the kitchen yesterday.").await;
        listening.hear("Jarvis, what time is it?").await;

        assert_eq!(listening.next_query().await.as_deref(), Some("what time is it?"));
    }

    #[tokio::test(start_paused = true)]
    async fn rules_decide_after_a_judge_that_hangs_or_fails() {
        let unreachable = LlmError::Unreachable {
            provider: ProviderKind::Ollama,
            address: "localhost".into(),
            source: None,
        };
        let mut listening =
            Listening::with_answers([Turn::hangs_after("{"), Turn::says("well"), Turn::Refuses(unreachable)]);
        let doubtful = "I told Jarvis about the kitchen yesterday.";

        let mut queries = Vec::new();
        for _ in 0..4 {
            listening.hear(doubtful).await;
            queries.push(listening.next_query().await);
        }

        assert_eq!(queries, vec![Some("I told about the kitchen yesterday.".to_owned()); 4]);
        // A judge that cannot be reached is left alone for a while.
        assert_eq!(listening.model.asked().len(), 3);
    }
}
