### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = لا أعرف ذلك، فلا أجد شيئا عنه في ذاكرتي.
reply-rest-undone = لم أتمكن من إنجاز الباقي.
reply-one-moment = لحظة من فضلك.
reply-garbled = عذرا، خرج جوابي مشوشا. هل تسألني مرة أخرى، ربما بكلمات أخرى؟
reply-no-answer = عذرا، ليس لدي جواب عن ذلك. هل تقوله بطريقة أخرى؟
reply-larger-model = نموذج لغوي أكبر، من الإعدادات، سيفعل أكثر.
reply-not-done = لم أفعل ذلك.
reply-dismissed = حسنا.
reply-missing = هل يمكنك أن تكون أكثر تحديدا؟ تنقصني معلومة.
