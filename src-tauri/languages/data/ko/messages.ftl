### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = 모르겠습니다. 제 기억에 그에 관한 내용이 없습니다.
reply-rest-undone = 나머지는 하지 못했습니다.
reply-one-moment = 잠시만요.
reply-garbled = 죄송합니다. 답이 엉망이 되었습니다. 다른 말로 다시 물어봐 주시겠어요?
reply-no-answer = 죄송합니다. 그것에는 답할 수 없습니다. 다르게 말씀해 주시겠어요?
reply-out-of-turns = 여기서 멈췄습니다. 허용된 단계 수를 넘어섭니다.
reply-files-left-out = { $count ->
   *[other] 첨부가 너무 많아 파일 { $count }개를 제외했습니다.
}
reply-larger-model = 설정에서 더 큰 언어 모델을 고르면 더 잘할 수 있습니다.
reply-not-done = 그것은 하지 않았습니다.
reply-dismissed = 알겠습니다.
reply-missing = 조금 더 자세히 말씀해 주시겠어요? 필요한 정보가 빠져 있습니다.

## Delivering a reply

voice-quota = 음성 서비스의 사용 한도가 다 되어 글로 답합니다.
voice-unavailable = 지금은 음성이 나오지 않아 글로 답합니다.
file-not-shown = “{ $name }” 파일은 여기에 표시할 수 없습니다.
feedback-explained = 답하지 못했습니다. { $explanation }
feedback-generic = 문제가 생겨 답할 수 없습니다. 다시 물어봐 주세요.

## What is undone

undone-removed = “{ $item }”을(를) 다시 없앴습니다.
undone-removed-unnamed = 다시 없앴습니다.
undone-restored = “{ $item }”을(를) 이전 상태로 되돌렸습니다.
undone-restored-unnamed = 이전 상태로 되돌렸습니다.
undone-impossible = “{ $item }”은(는) 되돌릴 수 없습니다. 그 후에 바뀌었거나 사본이 남아 있지 않습니다.
undone-nothing = 되돌릴 것이 없습니다. 지난 10분 동안 여기서 아무것도 바꾸지 않았습니다.
random-pick = 결과는 { $choice }입니다.

## Links, as they are spoken

spoken-link-to-homepage = { $site } 첫 페이지로 연결되는 “{ $text }” 링크
spoken-link-to-page = { $site } 안의 페이지로 연결되는 “{ $text }” 링크
spoken-homepage = { $site } 첫 페이지
spoken-page = { $site } 안의 페이지
