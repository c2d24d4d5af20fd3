//! Signing in at a server with an address (OAuth), with a server on this machine that checks what it is told.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use serde_json::{Value, json};
use settings::ServerSettings;
use sha2::{Digest, Sha256};
use tools::servers::{ServerPhase, SignInError};
use url::Url;

use crate::server_bench::ServerBench;
use crate::web_servers::greeter_service;

/// The requests to the server, and its behaviour.
#[derive(Default)]
struct AuthorizationServer {
    /// The tokens for which it lets somebody in, with the lifetime that it tells.
    valid: Mutex<Vec<String>>,
    challenges: Mutex<HashMap<String, String>>,
    registered: Mutex<Vec<Value>>,
    grants: Mutex<Vec<String>>,
    lifetime_secs: u64,
    refuses: bool,
    /// The page to sign in, in place of its own.
    page: Option<String>,
}

type Shared = State<(Arc<AuthorizationServer>, Arc<String>)>;

async fn metadata(State((authorization, address)): Shared) -> Json<Value> {
    let page = authorization.page.clone().unwrap_or_else(|| format!("{address}/authorize"));
    Json(json!({
        "issuer": *address, "authorization_endpoint": page, "token_endpoint": format!("{address}/token"),
        "registration_endpoint": format!("{address}/register"), "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"], "scopes_supported": ["greet"],
    }))
}

async fn resource(State((_, address)): Shared) -> Json<Value> {
    Json(json!({ "resource": format!("{address}/mcp"), "authorization_servers": [*address] }))
}

async fn register(State((authorization, _)): Shared, Json(client): Json<Value>) -> (StatusCode, Json<Value>) {
    let answer = json!({ "client_id": "client-1", "redirect_uris": client["redirect_uris"] });
    authorization.registered.lock().push(client);
    (StatusCode::CREATED, Json(answer))
}

async fn authorize(
    State((authorization, _)): Shared,
    Query(asked): Query<HashMap<String, String>>,
) -> Redirect {
    assert_eq!((&*asked["code_challenge_method"], &*asked["client_id"]), ("S256", "client-1"));
    authorization.challenges.lock().insert("code-1".into(), asked["code_challenge"].clone());
    let answer = if authorization.refuses { "error=access_denied" } else { "code=code-1" };
    Redirect::to(&format!("{}?{answer}&state={}", asked["redirect_uri"], asked["state"]))
}

async fn token(State((authorization, _)): Shared, asked: String) -> Response {
    let asked: HashMap<String, String> = url::form_urlencoded::parse(asked.as_bytes()).into_owned().collect();
    let grant = asked["grant_type"].clone();
    let is_right = match &*grant {
        "authorization_code" => {
            let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&asked["code_verifier"]));
            authorization.challenges.lock().get(&asked["code"]) == Some(&hash)
        }
        _ => asked["refresh_token"] == "refresh-1",
    };
    if !is_right {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response();
    }
    let token = format!("token-{}", authorization.grants.lock().len());
    authorization.grants.lock().push(grant);
    // The token before stays valid, as at other servers: a request may be under way with it.
    authorization.valid.lock().push(format!("Bearer {token}"));
    let answer = json!({
        "access_token": token, "token_type": "Bearer", "expires_in": authorization.lifetime_secs, "refresh_token": "refresh-1",
    });
    Json(answer).into_response()
}

async fn let_in(
    State((authorization, address)): Shared,
    headers: HeaderMap,
    request: Request,
    next: Next,
) -> Response {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if token.is_some_and(|token| authorization.valid.lock().iter().any(|valid| valid == token)) {
        return next.run(request).await;
    }
    let challenge =
        format!("Bearer resource_metadata=\"{address}/.well-known/oauth-protected-resource/mcp\"");
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response()
}

/// A server that lets in who signed in, and its address.
async fn started(authorization: AuthorizationServer) -> (Arc<AuthorizationServer>, String) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let authorization = Arc::new(authorization);
    let state = (Arc::clone(&authorization), Arc::new(address.clone()));
    let routes = Router::new()
        .nest_service("/mcp", greeter_service())
        .layer(middleware::from_fn_with_state(state.clone(), let_in))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .route("/.well-known/oauth-authorization-server", get(metadata))
        .route("/register", post(register))
        .route("/authorize", get(authorize))
        .route("/token", post(token))
        .with_state(state);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (authorization, address)
}

fn web(address: &str) -> ServerSettings {
    ServerSettings { url: format!("{address}/mcp"), ..ServerSettings::default() }
}

/// A user who agrees to whatever the page says.
pub fn browse(page: &Url) -> Result<(), String> {
    let page = page.clone();
    tokio::spawn(async move { reqwest::get(page).await.unwrap().error_for_status().unwrap() });
    Ok(())
}

fn authorization(lifetime_secs: u64) -> AuthorizationServer {
    AuthorizationServer { lifetime_secs, ..AuthorizationServer::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn user_signs_in_by_the_browser_and_out_again() {
    let (authorization, address) = started(authorization(3600)).await;
    let fixture = ServerBench::with(&[("web", web(&address))]).await;
    assert_eq!(fixture.servers.statuses()[0].phase, ServerPhase::SignInNeeded);

    fixture.servers.sign_in("web", &browse).await.unwrap();
    fixture.reaches(&ServerPhase::Running).await;
    fixture.servers.refresh().await;

    assert_eq!(fixture.told("web__hello", json!({ "name": "Ann" })).await, "Hello Ann!");
    assert!(fixture.servers.statuses()[0].is_signed_in);
    let client = authorization.registered.lock()[0].clone();
    assert_eq!(
        (&client["client_name"], &client["token_endpoint_auth_method"]),
        (&json!("Jarvis"), &json!("none"))
    );
    assert!(client["redirect_uris"][0].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert!(fixture.sign_ins.of("web").unwrap().contains("token-0"));

    fixture.servers.sign_out("web").await.unwrap();
    fixture.reaches(&ServerPhase::SignInNeeded).await;

    assert_eq!((fixture.servers.statuses()[0].is_signed_in, fixture.sign_ins.of("web")), (false, None));
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_fetched_anew_when_they_end() {
    let (authorization, address) = started(authorization(0)).await;
    let fixture = ServerBench::with(&[("web", web(&address))]).await;

    fixture.servers.sign_in("web", &browse).await.unwrap();
    fixture.reaches(&ServerPhase::Running).await;
    fixture.servers.refresh().await;

    assert_eq!(fixture.told("web__hello", json!({ "name": "Ann" })).await, "Hello Ann!");
    let grants = authorization.grants.lock().clone();
    assert!(grants.len() > 1 && grants[0] == "authorization_code", "{grants:?}");
    assert!(grants[1..].iter().all(|grant| grant == "refresh_token"), "{grants:?}");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_one_address_are_not_sent_to_another() {
    let (_, address) = started(authorization(3600)).await;
    let (other, elsewhere) = started(authorization(3600)).await;
    let fixture = ServerBench::with(&[("web", web(&address))]).await;
    fixture.servers.sign_in("web", &browse).await.unwrap();
    fixture.reaches(&ServerPhase::Running).await;
    fixture.servers.refresh().await;
    other.valid.lock().push("Bearer token-0".into());

    fixture.configure(&[("web", web(&elsewhere))]).await;

    assert_eq!(fixture.servers.statuses()[0].phase, ServerPhase::SignInNeeded);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_who_refuses_stays_signed_out() {
    let (_, address) = started(AuthorizationServer { refuses: true, ..AuthorizationServer::default() }).await;
    let fixture = ServerBench::with(&[("web", web(&address))]).await;

    let error = fixture.servers.sign_in("web", &browse).await.unwrap_err();

    assert!(matches!(error, SignInError::Refused), "{error}");
    assert_eq!(fixture.sign_ins.of("web"), None);
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_to_sign_in_that_is_not_secure_is_not_opened() {
    let page = Some("http://sign-in.example/authorize".to_owned());
    let (_, address) = started(AuthorizationServer { page, ..AuthorizationServer::default() }).await;
    let fixture = ServerBench::with(&[("web", web(&address))]).await;

    let opened = |_: &Url| -> Result<(), String> { panic!("the page was opened") };
    let error = fixture.servers.sign_in("web", &opened).await.unwrap_err();

    assert!(matches!(error, SignInError::NotSecure), "{error}");
    fixture.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn program_and_server_with_a_header_offer_no_sign_in() {
    let (_, address) = started(authorization(3600)).await;
    let headers = BTreeMap::from([("authorization".to_owned(), "Bearer own".to_owned())]);
    let fixture = ServerBench::with(&[("web", ServerSettings { headers, ..web(&address) })]).await;

    let error = fixture.servers.sign_in("web", &browse).await.unwrap_err();

    assert!(matches!(error, SignInError::NoServer), "{error}");
    assert!(fixture.reason().contains("check its headers"), "{}", fixture.reason());
    fixture.end().await;
}
