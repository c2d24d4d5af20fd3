use rstest::rstest;

use super::*;

struct Values;

impl ServerValues for Values {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("abc".into()),
            "secret:github" => Some("s3cret".into()),
            _ => None,
        }
    }
}

#[rstest]
#[case::plain("--port=1", Ok("--port=1"))]
#[case::variable("a-${TOKEN}-b", Ok("a-abc-b"))]
#[case::secret("${secret:github}", Ok("s3cret"))]
#[case::other_value("${PORT:-80}", Ok("80"))]
#[case::open_brace("${TOKEN", Ok("${TOKEN"))]
#[case::missing("${PORT}", Err("PORT"))]
fn variables_and_secrets_are_filled_in(#[case] text: &str, #[case] expected: Result<&str, &str>) {
    let settings = ServerSettings { command: "run".into(), args: vec![text.into()], ..Default::default() };

    let config = ServerConfig::new("files", &settings, &Values);

    let expected = expected
        .map(str::to_owned)
        .map_err(|missing| ServerConfigError::Missing { name: "files".into(), missing: missing.into() });
    let argument = config.map(|config| match config.transport {
        Transport::Program { arguments, .. } => arguments[0].clone(),
        Transport::Http { .. } => panic!("it has a command"),
    });
    assert_eq!(argument, expected);
}

#[test]
fn working_folder_is_filled_in_and_may_be_missing() {
    let folder = |cwd: &str| {
        let settings = ServerSettings { command: "run".into(), cwd: cwd.into(), ..ServerSettings::default() };
        match ServerConfig::new("files", &settings, &Values).unwrap().transport {
            Transport::Program { folder, .. } => folder,
            Transport::Http { .. } => panic!("it has a command"),
        }
    };

    assert_eq!([folder(" "), folder("/data/${TOKEN}")], [None, Some("/data/abc".into())]);
}

#[rstest]
#[case::blanks("my files", "run", "", "the name of the server \"my files\"")]
#[case::double_line("my__files", "run", "", "the name of the server \"my__files\"")]
#[case::nothing("files", " ", "", "the server files needs a command or an address")]
#[case::other_scheme(
    "files",
    "",
    "ftp://example.org",
    "the address of the server files is \"ftp://example.org\""
)]
#[case::secrets_in_a_bad_address(
    "files",
    "",
    "htp://ann:s3cret@example.org/mcp?key=s3cret",
    "the address of the server files is \"htp://example.org/mcp\":"
)]
fn bad_settings_are_named(
    #[case] name: &str,
    #[case] command: &str,
    #[case] url: &str,
    #[case] expected: &str,
) {
    let settings = ServerSettings { command: command.into(), url: url.into(), ..Default::default() };

    let error = ServerConfig::new(name, &settings, &Values).unwrap_err();

    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn values_of_headers_variables_and_addresses_are_not_printed() {
    let pairs = BTreeMap::from([("Authorization".to_owned(), "Bearer ${secret:github}".to_owned())]);
    let http = ServerSettings {
        url: "https://ann:s3cret@example.org/mcp?key=s3cret".into(),
        headers: pairs.clone(),
        ..Default::default()
    };
    let program = ServerSettings {
        command: "run".into(),
        args: vec!["--key=s3cret".into()],
        env: pairs,
        ..Default::default()
    };

    for settings in [http, program] {
        let config = ServerConfig::new("files", &settings, &Values).unwrap();

        let printed = format!("{config:?}");
        assert!(!printed.contains("s3cret") && printed.contains("Authorization"), "{printed}");
        assert!(!format!("{settings:?}").contains("s3cret"));
        assert_eq!(config.secrets.error_text("it is s3cret"), "it is [hidden]");
    }
}

#[rstest]
#[case::none(0.0, None)]
#[case::below_zero(-5.0, None)]
#[case::no_number(f64::NAN, None)]
#[case::half_a_minute(30.0, Some(Duration::from_secs(30)))]
#[case::longer_than_any_clock(f64::MAX, None)]
#[case::without_end(f64::INFINITY, None)]
fn idle_timeout_is_a_time_that_can_pass(#[case] seconds: f64, #[case] expected: Option<Duration>) {
    let settings = ServerSettings { idle_timeout_secs: seconds, ..Default::default() };

    assert_eq!(idle_timeout(&settings), expected);
}

#[rstest]
#[case::alone("~", Platform::Linux, "/home/ann/")]
#[case::below("~/notes", Platform::MacOs, "/home/ann/notes")]
#[case::below_on_windows(r"~\notes\a", Platform::Windows, r"/home/ann/notes\a")]
#[case::slash_on_windows("~/notes", Platform::Windows, "/home/ann/notes")]
#[case::backslash_is_a_letter(r"~\notes", Platform::Linux, r"~\notes")]
#[case::other_user("~ben/notes", Platform::Linux, "~ben/notes")]
#[case::inside("a~/b", Platform::Linux, "a~/b")]
fn path_of_the_user_is_filled_in(#[case] text: &str, #[case] platform: Platform, #[case] expected: &str) {
    let home = Path::new("/home/ann");

    assert_eq!(below_home(text, Some(home), platform), expected);
    assert_eq!(below_home(text, None, platform), text);
}
