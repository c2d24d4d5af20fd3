### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = わかりません。そのことは記憶にありません。
reply-rest-undone = 残りはできませんでした。
reply-one-moment = 少々お待ちください。
reply-garbled = 申し訳ありません、うまく答えられませんでした。別の言い方でもう一度聞いていただけますか。
reply-no-answer = 申し訳ありません、お答えできません。別の言い方をしていただけますか。
reply-larger-model = 設定でより大きな言語モデルを選ぶと、できることが増えます。
reply-not-done = それは実行していません。
reply-dismissed = 承知しました。
reply-missing = もう少し詳しく教えていただけますか。必要な情報が足りません。
