### The messages of English in this language; what is missing is said in English.

## Replies that no model words

reply-nothing-known = لا أعرف ذلك، فلا أجد شيئا عنه في ذاكرتي.
reply-rest-undone = لم أتمكن من إنجاز الباقي.
reply-one-moment = لحظة من فضلك.
reply-garbled = عذرا، خرج جوابي مشوشا. هل تسألني مرة أخرى، ربما بكلمات أخرى؟
reply-no-answer = عذرا، ليس لدي جواب عن ذلك. هل تقوله بطريقة أخرى؟
reply-out-of-turns = توقفت هنا: احتاج هذا إلى خطوات أكثر مما يُسمح لي به.
reply-files-left-out = { $count ->
    [zero] لم يُترك أي ملف.
    [one] لم يُرفق ملف واحد: في الإجابة ملفات كثيرة جدًا.
    [two] لم يُرفق ملفان: في الإجابة ملفات كثيرة جدًا.
    [few] لم تُرفق { $count } ملفات: في الإجابة ملفات كثيرة جدًا.
    [many] لم يُرفق { $count } ملفًا: في الإجابة ملفات كثيرة جدًا.
   *[other] لم يُرفق { $count } ملف: في الإجابة ملفات كثيرة جدًا.
}
reply-larger-model = نموذج لغوي أكبر، من الإعدادات، سيفعل أكثر.
reply-not-done = لم أفعل ذلك.
reply-dismissed = حسنا.
reply-missing = هل يمكنك أن تكون أكثر تحديدا؟ تنقصني معلومة.

## Delivering a reply

voice-quota = نفدت حصة خدمة الصوت، لذلك أجيب كتابةً.
voice-unavailable = صوتي لا يعمل الآن، لذلك أجيب كتابةً.
file-not-shown = لا يمكن عرض «{ $name }» هنا.
feedback-explained = لم أستطع الإجابة. { $explanation }
feedback-generic = حدث خطأ ما وليس لدي إجابة. من فضلك اسأل مرة أخرى.

## What is undone

undone-removed = لم يعد «{ $item }» موجودًا.
undone-removed-unnamed = لم يعد ذلك موجودًا.
undone-restored = عاد «{ $item }» كما كان.
undone-restored-unnamed = عاد كل شيء كما كان.
undone-impossible = لا يمكن التراجع عن «{ $item }»: فقد تغيّر منذ ذلك الحين، أو لم تُحفظ نسخة منه.
undone-nothing = لا يوجد ما يمكن التراجع عنه: لم أغيّر شيئًا هنا في الدقائق العشر الأخيرة.
random-pick = النتيجة هي { $choice }.

## Links, as they are spoken

spoken-link-to-homepage = رابط إلى الصفحة الرئيسية لموقع { $site } بالنص «{ $text }»
spoken-link-to-page = رابط إلى صفحة في موقع { $site } بالنص «{ $text }»
spoken-homepage = الصفحة الرئيسية لموقع { $site }
spoken-page = صفحة في موقع { $site }
