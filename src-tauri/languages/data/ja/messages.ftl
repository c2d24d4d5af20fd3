### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = わかりません。そのことは記憶にありません。
reply-rest-undone = 残りはできませんでした。
reply-one-moment = 少々お待ちください。
reply-garbled = 申し訳ありません、うまく答えられませんでした。別の言い方でもう一度聞いていただけますか。
reply-no-answer = 申し訳ありません、お答えできません。別の言い方をしていただけますか。
reply-out-of-turns = ここで止めました。許された手順の数を超えてしまいます。
reply-files-left-out = { $count ->
   *[other] 添付が多すぎるため、{ $count } 件のファイルを省きました。
}
reply-larger-model = 設定でより大きな言語モデルを選ぶと、できることが増えます。
reply-not-done = それは実行していません。
reply-dismissed = 承知しました。
reply-missing = もう少し詳しく教えていただけますか。必要な情報が足りません。

## Delivering a reply

voice-quota = 音声サービスの利用枠がなくなったため、文字でお答えします。
voice-unavailable = 今は声が出ないため、文字でお答えします。
file-not-shown = 「{ $name }」はここでは表示できません。
feedback-explained = お答えできませんでした。{ $explanation }
feedback-generic = 問題が起きて、お答えできません。もう一度お尋ねください。

## What is undone

undone-removed = 「{ $item }」を取り消しました。
undone-removed-unnamed = 取り消しました。
undone-restored = 「{ $item }」を元に戻しました。
undone-restored-unnamed = 元に戻しました。
undone-impossible = 「{ $item }」は元に戻せません。その後変更されたか、控えが残っていません。
undone-nothing = 元に戻すものはありません。この10分間、ここでは何も変更していません。
random-pick = 結果は{ $choice }です。

## Links, as they are spoken

spoken-link-to-homepage = { $site } のトップページへのリンク「{ $text }」
spoken-link-to-page = { $site } 内のページへのリンク「{ $text }」
spoken-homepage = { $site } のトップページ
spoken-page = { $site } 内のページ
