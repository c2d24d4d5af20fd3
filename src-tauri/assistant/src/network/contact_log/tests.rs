use std::sync::Arc;

use net::Url;

use super::*;

/// A run of the program with its list in `data`.
fn run_in(data: &Path) -> (Http, ContactLog) {
    let http = Http::new().unwrap();
    (http.clone(), ContactLog::new(data, http, true))
}

/// Sends a request to a port where nobody listens: it is listed because it was sent.
async fn contact(http: &Http, purpose: Purpose, port: u16) {
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap();
    http.allow_origin(&url);
    assert!(http.for_purpose(purpose).get(&url).send().await.is_err());
}

fn in_short(log: &ContactLog) -> Vec<(String, Purpose, u64)> {
    log.list().into_iter().map(|contact| (contact.host, contact.purpose, contact.times)).collect()
}

fn host(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

#[tokio::test]
async fn next_run_lists_the_hosts_of_the_run_before() {
    let data = tempfile::tempdir().unwrap();
    let (http, log) = run_in(data.path());
    contact(&http, Purpose::LanguageModel, 1).await;
    contact(&http, Purpose::LanguageModel, 1).await;
    contact(&http, Purpose::Weather, 2).await;
    let before = log.list();

    log.write();

    let (http, log) = run_in(data.path());
    assert_eq!(log.list(), before);
    contact(&http, Purpose::LanguageModel, 1).await;
    let expected = [(host(1), Purpose::LanguageModel, 3), (host(2), Purpose::Weather, 1)];
    assert_eq!(in_short(&log), expected);
    log.write();
    log.write();
    assert_eq!(in_short(&log), expected, "nothing is counted twice");
    assert!(log.list()[0].last > before[0].last);
}

#[tokio::test]
async fn hosts_of_pages_are_listed_and_not_written() {
    let data = tempfile::tempdir().unwrap();
    let (http, log) = run_in(data.path());
    contact(&http, Purpose::WebPage, 1).await;
    contact(&http, Purpose::WebSearch, 2).await;

    log.write();

    assert_eq!(in_short(&log), [(host(1), Purpose::WebPage, 1), (host(2), Purpose::WebSearch, 1)]);
    assert_eq!(in_short(&run_in(data.path()).1), [(host(2), Purpose::WebSearch, 1)]);
}

#[tokio::test]
async fn cleared_list_stays_empty() {
    let data = tempfile::tempdir().unwrap();
    let (http, log) = run_in(data.path());
    contact(&http, Purpose::LanguageModel, 1).await;
    log.write();
    contact(&http, Purpose::Weather, 2).await;

    log.clear().unwrap();

    assert_eq!(in_short(&log), []);
    log.write();
    assert_eq!(in_short(&run_in(data.path()).1), []);
    contact(&http, Purpose::LanguageModel, 1).await;
    log.write();
    assert_eq!(in_short(&run_in(data.path()).1), [(host(1), Purpose::LanguageModel, 1)]);
}

#[tokio::test]
async fn list_that_cannot_be_deleted_is_kept_and_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let (http, log) = run_in(data.path());
    contact(&http, Purpose::LanguageModel, 1).await;
    std::fs::create_dir(data.path().join(FILE)).unwrap();

    let trouble = log.clear().unwrap_err();

    assert!(trouble.remedy.contains(FILE), "{trouble}");
    assert_eq!(in_short(&log).len(), 1);
}

#[tokio::test]
async fn run_of_which_nothing_is_kept_writes_nothing() {
    let data = tempfile::tempdir().unwrap();
    let http = Http::new().unwrap();
    let log = ContactLog::new(data.path(), http.clone(), false);
    contact(&http, Purpose::LanguageModel, 1).await;

    log.write();

    assert_eq!(in_short(&log).len(), 1);
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn list_is_readable_for_its_user_only() {
    use std::os::unix::fs::PermissionsExt;

    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let (http, log) = run_in(&data);
    contact(&http, Purpose::LanguageModel, 1).await;

    log.write();

    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join(FILE))), (0o700, 0o600));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_lose_nothing_of_each_other() {
    const TIMES: u64 = 20;
    let data = tempfile::tempdir().unwrap();
    let writes = [1, 2].map(|port| {
        let (http, log) = run_in(data.path());
        tokio::spawn(async move {
            for _ in 0..TIMES {
                contact(&http, Purpose::ModelDownload, port).await;
                log.write();
            }
        })
    });
    for write in writes {
        write.await.unwrap();
    }

    let expected = [1, 2].map(|port| (host(port), Purpose::ModelDownload, TIMES));
    assert_eq!(in_short(&run_in(data.path()).1), expected);
}

#[tokio::test]
async fn damaged_file_costs_only_what_is_damaged() {
    let data = tempfile::tempdir().unwrap();
    let kept = serde_json::json!([
        {"host": "models.example", "purpose": "model_download", "times": 2, "last": "2026-03-14T09:26:53Z",
         "is_proxied": true},
        {"host": "later.example", "purpose": "of a later version", "times": 1, "last": "2026-03-14T09:26:53Z",
         "is_proxied": false},
    ]);
    std::fs::write(data.path().join(FILE), kept.to_string()).unwrap();
    let one_is_unknown = in_short(&run_in(data.path()).1);

    std::fs::write(data.path().join(FILE), &kept.to_string()[..20]).unwrap();

    assert_eq!(one_is_unknown, [("models.example".to_owned(), Purpose::ModelDownload, 2)]);
    let (http, log) = run_in(data.path());
    contact(&http, Purpose::Weather, 2).await;
    log.write();
    assert_eq!(in_short(&run_in(data.path()).1), [(host(2), Purpose::Weather, 1)]);
}

/// Waits for a task that writes on a thread of its own.
async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
}

#[tokio::test]
async fn new_host_is_written_at_once_and_a_count_later() {
    let data = tempfile::tempdir().unwrap();
    let (http, log) = run_in(data.path());
    let (log, stop) = (Arc::new(log), CancellationToken::new());
    let written = || run_in(data.path()).1.list().first().map(|contact| contact.times);

    contact(&http, Purpose::LanguageModel, 1).await;
    let task = tokio::spawn(Arc::clone(&log).keep(stop.clone()));
    until(|| written() == Some(1)).await;
    contact(&http, Purpose::Weather, 2).await;
    until(|| in_short(&run_in(data.path()).1).len() == 2).await;
    contact(&http, Purpose::LanguageModel, 1).await;
    let soon = written();
    tokio::time::pause();
    tokio::time::advance(COUNT_INTERVAL).await;
    tokio::time::resume();
    until(|| written() == Some(2)).await;

    assert_eq!(soon, Some(1));
    stop.cancel();
    task.await.unwrap();
}
