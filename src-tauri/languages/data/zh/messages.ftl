### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = 我不知道，我的记忆里没有这方面的内容。
reply-rest-undone = 其余的没能完成。
reply-one-moment = 请稍等。
reply-garbled = 抱歉，我的回答乱了。您能换个说法再问一次吗？
reply-no-answer = 抱歉，这个我答不上来。您能换个说法吗？
reply-out-of-turns = 我停在这里了：这件事需要的步骤超出了允许的数量。
reply-files-left-out = { $count ->
   *[other] 附件太多，有 { $count } 个文件没有附上。
}
reply-larger-model = 在设置里选择更大的语言模型会更好。
reply-not-done = 我没有这样做。
reply-dismissed = 好的。
reply-missing = 您能说得更具体一些吗？还缺一项信息。

## Delivering a reply

voice-quota = 语音服务的额度已用完，所以我用文字回答。
voice-unavailable = 我的语音现在无法使用，所以我用文字回答。
file-not-shown = “{ $name }”无法在这里显示。
feedback-explained = 我没能回答。{ $explanation }
feedback-generic = 出了点问题，我没有答案。请再问一次。

## What is undone

undone-removed = “{ $item }”已经撤销。
undone-removed-unnamed = 已经撤销。
undone-restored = “{ $item }”已恢复原样。
undone-restored-unnamed = 已恢复原样。
undone-impossible = “{ $item }”无法撤销：之后又有改动，或者没有保留副本。
undone-nothing = 没有可撤销的内容：最近十分钟我在这里没有做任何更改。
random-pick = 结果是{ $choice }。

## Links, as they are spoken

spoken-link-to-homepage = 指向 { $site } 首页的链接，文字是“{ $text }”
spoken-link-to-page = 指向 { $site } 网站内页面的链接，文字是“{ $text }”
spoken-homepage = { $site } 首页
spoken-page = { $site } 网站内的页面
