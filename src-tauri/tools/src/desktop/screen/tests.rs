//! The screen under Wayland, with a portal on a real session bus.

use parking_lot::Mutex;
use rstest::rstest;
use testkit::{PictureAnswer, ScreenshotPortal, SessionBus};

use super::*;

/// Programs that take and read pictures, and note which of them ran.
#[derive(Default)]
struct Noted(Mutex<Vec<String>>);

#[async_trait]
impl Programs for Noted {
    async fn run(&self, command: &DesktopCommand) -> Result<String, ProgramError> {
        self.0.lock().push(command.program.clone());
        match &*command.program {
            "tesseract" => Ok(std::fs::read_to_string(&command.arguments[0]).unwrap_or_default()),
            _ => {
                let written = command.arguments.last().map(|path| std::fs::write(path, "by a program"));
                assert!(matches!(written, Some(Ok(()))), "{command:?}");
                Ok(String::new())
            }
        }
    }
}

async fn screen_read(bus: &SessionBus, is_wayland: bool) -> (String, Vec<String>) {
    let programs = Arc::new(Noted::default());
    let tool = Screenshot {
        bus_address: Some(bus.address().to_owned()),
        ..Screenshot::new(programs.clone(), System::Linux { is_wayland })
    };

    let (Ok(result) | Err(result)) = tool.read(None).await;

    let text = result.text.map(|text| text.0).unwrap_or_default();
    (text, std::mem::take(&mut *programs.0.lock()))
}

#[tokio::test]
async fn picture_comes_from_the_desktop_and_is_not_left_there() {
    let (bus, folder) = (SessionBus::start().unwrap(), tempfile::tempdir().unwrap());
    let saved = folder.path().join("Screenshot 1.png");
    std::fs::write(&saved, "by the desktop").unwrap();
    let portal = ScreenshotPortal::start(bus.address(), PictureAnswer::Saved(saved.clone())).unwrap();

    let (text, ran) = screen_read(&bus, true).await;

    assert!(text.contains("by the desktop"), "{text}");
    assert_eq!((ran, portal.asked(), saved.exists()), (vec!["tesseract".to_owned()], 1, false));
}

#[rstest]
#[case::now(PictureAnswer::Refused)]
#[case::for_good(PictureAnswer::Ended)]
#[tokio::test]
async fn refusal_of_the_user_is_told_and_no_program_is_tried(#[case] answer: PictureAnswer) {
    let bus = SessionBus::start().unwrap();
    let _portal = ScreenshotPortal::start(bus.address(), answer).unwrap();

    let (text, ran) = screen_read(&bus, true).await;

    assert_eq!((&*text, ran), (NOT_ALLOWED, Vec::new()));
}

#[rstest]
#[case::no_portal(None, true, 0)]
#[case::picture_is_gone(Some(PictureAnswer::Saved("/nowhere/at/all.png".into())), true, 1)]
#[case::x11(Some(PictureAnswer::Refused), false, 0)]
#[tokio::test]
async fn programs_take_the_picture_where_the_desktop_does_not(
    #[case] answer: Option<PictureAnswer>,
    #[case] is_wayland: bool,
    #[case] asked: u32,
) {
    let bus = SessionBus::start().unwrap();
    let portal = answer.map(|answer| ScreenshotPortal::start(bus.address(), answer).unwrap());

    let (text, ran) = screen_read(&bus, is_wayland).await;

    assert!(text.contains("by a program"), "{text}");
    assert_eq!((ran.len(), portal.map_or(0, |portal| portal.asked())), (2, asked));
}
