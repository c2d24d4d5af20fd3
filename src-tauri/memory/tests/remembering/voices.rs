//! Enrolled voices.

use memory::Memory;
use vocabulary::{EnrolledVoice, SpeakerEmbedding};

use crate::support::{Home, NOW};

fn voice(name: &str, numbers: &[f32]) -> EnrolledVoice {
    EnrolledVoice { name: name.into(), embedding: SpeakerEmbedding::new(numbers.to_vec()).unwrap() }
}

async fn names(memory: &Memory) -> Vec<String> {
    memory.voices().await.unwrap().into_iter().map(|voice| voice.name).collect()
}

#[tokio::test]
async fn voice_is_kept_until_it_is_removed() {
    let home = Home::new();
    let anna = voice("Anna", &[0.6, -0.8]);

    home.memory.enrol_voice(voice("Anna", &[1.0, 0.0])).await.unwrap();
    home.memory.enrol_voice(voice("Ben", &[0.0, 1.0])).await.unwrap();
    home.memory.enrol_voice(anna.clone()).await.unwrap();
    let kept = home.memory.voices().await.unwrap();
    let was_there = home.memory.remove_voice("Ben".into()).await.unwrap();

    assert_eq!(kept, [anna, voice("Ben", &[0.0, 1.0])]);
    assert!(was_there && !home.memory.remove_voice("Ben".into()).await.unwrap());
    assert_eq!(names(&home.memory).await, ["Anna"]);
}

#[tokio::test]
async fn backup_has_no_voice_in_it() {
    let home = Home::new();
    home.memory.enrol_voice(voice("Anna", &[0.6, -0.8])).await.unwrap();

    let backup = home.memory.back_up(NOW).await.unwrap();

    let copied = Memory::open(&backup).unwrap().memory;
    assert_eq!(names(&copied).await, Vec::<String>::new());
    assert_eq!(names(&home.memory).await, ["Anna"]);
}
