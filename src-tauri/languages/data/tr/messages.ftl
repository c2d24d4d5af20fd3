### The messages of English in this language; what is missing is said in English.

## How numbers, days and times are written

format-locale = tr
format-day = d MMMM y EEEE
format-time = H:mm
format-christmas-day = 25

## Durations

duration-hours = { $count } saat
duration-minutes = { $count } dakika
duration-seconds = { $count } saniye

## Replies that no model words

reply-nothing-known = Bilmiyorum: belleğimde bununla ilgili bir şey bulamadım.
reply-rest-undone = Gerisini yapamadım.
reply-one-moment = Bir saniye.
reply-garbled = Üzgünüm, yanıtım bozuk çıktı. Belki başka sözcüklerle yeniden sorar mısın?
reply-no-answer = Üzgünüm, buna bir yanıtım yok. Başka türlü söyler misin?
reply-out-of-turns = Burada durdum: bu, atabileceğimden daha çok adım gerektiriyordu.
reply-files-left-out = { $count ->
    [one] Bir dosya eksik: yanıtta çok fazla dosya var.
   *[other] { $count } dosya eksik: yanıtta çok fazla dosya var.
}
reply-orders-left-out = { $count ->
    [one] Bir aracın sonucundaki bir cümle bir asistana emir veriyordu: onu çıkardım.
   *[other] Araç sonuçlarındaki { $count } cümle bir asistana emir veriyordu: onları çıkardım.
}
reply-larger-model = Ayarlardaki daha büyük bir dil modeli daha fazlasını yapabilir.
reply-not-done = Bunu yapmadım.
reply-dismissed = Peki.
reply-missing = Daha açık söyler misin? Bir bilgi eksik.
reply-ask = { $argument ->
    [place] Hangi yer için?
    [time] Saat kaçta?
    [date] Hangi gün için?
    [duration] Ne kadar süre için?
    [label] Adı ne?
    [text] Tam olarak ne?
    [list] Hangi liste?
    [amount] Ne kadar?
    [unit] Hangi birimde?
    [expression] Neyi hesaplamalıyım?
    [meal] Ne yedin?
    [query] Neyi aramalıyım?
   *[other] Bir bilgi eksik: { $argument }.
}
reply-no-source = { $topic ->
    [weather] Hava durumuna bakamıyorum: bunun için henüz bir kaynağım yok.
    [news] Haberlere bakamıyorum: bunun için henüz bir kaynağım yok.
    [prices] Fiyatlara bakamıyorum: bunun için henüz bir kaynağım yok.
    [scores] Sonuçlara bakamıyorum: bunun için henüz bir kaynağım yok.
    [traffic] Trafiğe veya sefer saatlerine bakamıyorum: bunun için henüz bir kaynağım yok.
    [opening_hours] Açılış saatlerine bakamıyorum: bunun için henüz bir kaynağım yok.
   *[other] Bunu bilemem: gelecekte olacak bir şey ya da bir kaynağım yok.
}
reply-source-offline = Çevrimdışı çalışma açık; bunu ayarlardan değiştirebilirsin.
reply-source-search-off = Web araması kapalı; bunu ayarlardan açabilirsin.
tool-title = { $tool ->
    [webSearch] Web araması
    [fetchWebPage] Web sayfası
    [getWeather] Hava durumu
   *[other] { $tool }
}
reply-source-failed = Bunu söyleyemem: { $tool } yanıt vermedi.
reply-source-denied = Bunu söyleyemem: { $tool } aracının bakmasına izin verilmedi.
reply-source-unused = Bunu söyleyemem: { $tool } ile bakmadım.
reply-cannot-do = { $action ->
    [mail] E-posta gönderemem veya okuyamam: bunun için ayarlanmış bir araç yok.
    [messages] Mesaj gönderemem: bunun için ayarlanmış bir araç yok.
    [calls] Kimseyi arayamam: bunun için ayarlanmış bir araç yok.
    [devices] Işıkları veya cihazları kontrol edemem: bunun için ayarlanmış bir araç yok.
    [music] Müzik çalamam: bunun için ayarlanmış bir araç yok.
    [purchases] Bir şey satın alamam: bunun için ayarlanmış bir araç yok.
   *[other] Rezervasyon yapamam: bunun için ayarlanmış bir araç yok.
}
reply-nothing-done = Şu anda bir şey yapmadım: bunu hiçbir araç yerine getirmedi.
reply-no-person = Ben { $name }, bu bilgisayardaki bir programım, insan değilim.
reply-name-noted = Memnun oldum, { $name }. Adınızı not ettim.
reply-place-noted = Yaşadığınız yeri not ettim: { $place }.
reply-your-name = Adınız { $name }.
reply-your-place = Yaşadığınız yer: { $place }.
reply-you-are-here = Bildiğim kadarıyla buradasınız: { $place }.
reply-no-place = Nerede olduğunuzu bilmiyorum: bir yer belirtilmemiş. Ayarlarda “Location” altında bir yer belirtebilirsiniz.
reply-told-noted = Teşekkürler, bunu aklımda tutacağım.
reply-offer-reminder = Bunu size hatırlatayım mı?
reply-told = Bana şunu söylediniz: “{ $words }”
reply-you-said-first = İlk söylediğiniz: “{ $words }”
reply-you-said = Şunu söylediniz: “{ $words }”
reply-nothing-said = Bu konuşmada henüz başka bir şey söylemediniz.
reply-nothing-asked = Bu konuşmada henüz başka bir şey sormadınız.
reply-spelt = “{ $word }” şöyle yazılır: { $letters }.
reply-who-i-am = Ben { $name }, asistanınız: bu bilgisayardaki bir programım, insan değilim.
reply-what-i-can = Zamanlayıcı, alarm ve hatırlatıcı kurarım, listelerinizi tutarım, hesap yapar ve birim çeviririm, her yerin saatini ve tarihini söylerim, bana anlattıklarınızı hatırlarım. Genel soruları elimden geldiğince yanıtlarım.
reply-i-am-well = Çok iyiyim, teşekkürler.

## Permission to run a tool

permission-request = { $name } { permission-action } istiyor.
permission-request-with = { $name } { permission-action } istiyor: { $values }.
permission-action = { $tool ->
    [setTimer] bir zamanlayıcı kurmak
    [cancelTimer] bir zamanlayıcıyı iptal etmek
    [changeTimer] bir zamanlayıcıyı değiştirmek
    [setAlarm] bir alarm kurmak
    [setReminder] bir hatırlatıcı kurmak
    [cancelReminder] bir alarmı ya da hatırlatıcıyı iptal etmek
    [snooze] çalanı daha sonra yeniden çaldırmak
    [stopRinging] çalanı kapatmak
    [addTodo] bir listeye bir şey eklemek
    [finishTodo] bir listedeki bir şeyi tamamlandı olarak işaretlemek
    [takeBack] ayarlananı geri almak
    [logMeal] bir öğün kaydetmek
    [deleteMeal] bir öğünü silmek
    [setVolume] sesimin düzeyini değiştirmek
    [muteVoice] sesi açmak ya da kapatmak
    [exportTodos] listeleri ve hatırlatıcıları dosya olarak kaydetmek
    [localFiles-writes] bir dosyayı kaydetmek
    [localFiles-deletes] bir dosyayı çöp kutusuna taşımak
    [undoFileChange] bir dosyadaki son değişikliği geri almak
    [openLink] bir web sayfası açmak
    [openApplication] bir program açmak
    [screenshot] ekrandaki metni okumak
    [readClipboard] panoyu okumak
    [writeClipboard] panoya bir metin koymak
    [controlMedia] çalan şeyi kontrol etmek
    [setComputerVolume] bilgisayarın ses düzeyini değiştirmek
   *[other] { $tool } aracını kullanmak
}
permission-request-of-server = { $name }, { $server } sunucusunun { permission-effect } { $tool } aracını kullanmak istiyor.
permission-request-of-server-with = { $name }, { $server } sunucusunun { permission-effect } { $tool } aracını şu değerlerle kullanmak istiyor: { $values }.
permission-effect = { $effect ->
    [reads] okuyan ya da hesaplayan
    [fetches] ağdan veri alan
    [writes] veri ekleyen ya da değiştiren
    [deletes] veri silen
   *[executes] program çalıştıran
}
permission-more-values = { $count ->
    [one] bir değer daha
   *[other] { $count } değer daha
}
permission-question = { $request } Uygun mu?
permission-description-changed = Sunucusu bu aracı artık farklı tanımlıyor.
permission-needs-click = { $request } Bunun için bilgisayarda bir tuş veya tıklama gerekiyor, bu yüzden yapılmadı.
server-question = { $server } araç sunucusu soruyor: “{ $question }” Yanıtlamak ister misin?
server-sampling = { $server } araç sunucusu dil modeline şunu sormak istiyor: “{ $question }” Uygun mu?
permission-yes = Evet
permission-always = Her zaman
permission-no = Hayır
permission-by-hand = Bunun için lütfen bir tuşa bas veya tıkla: bunu yalnızca ekranda onaylarsan yaparım.

## Dates

date-span = { $first } – { $last }.
date-today = Bu bugün: { $date }.
date-days-until = { $days ->
    [1] Yarın: { $date }.
   *[other] { $date } gününe { $days } gün var.
}
date-days-since = { $days ->
    [1] Dündü: { $date }.
   *[other] { $date } gününden bu yana { $days } gün geçti.
}
date-week-now = Yılın { $week }. haftasındayız.
date-week-of = { $date }: yılın { $week }. haftası.

## Times

time-here = Saat { $time }.
time-until = Kalan süre ({ $time }): { $duration }.
time-there = { $place }: saat { $time }.
time-there-on = { $place }: { $weekday }, saat { $time }.
time-many-zones = { $place }: orada birden çok saat dilimi var. Oradan bir şehir söyle.
place-unknown = { $place } adında bir şehir ya da ülke bilmiyorum.

## Calculations and conversions

calculation-exact = { $from }, { $to } eder.
calculation-about = { $from }, yaklaşık { $to } eder.
calculation-percent-of = { $whole } için yüzde { $percent }
calculation-root-exact = { $number } sayısının karekökü { $root }.
calculation-root-about = { $number } sayısının karekökü yaklaşık { $root }.
calculation-by-zero = Sıfıra bölünmez.
calculation-too-large = Bu, hesaplayamayacağım kadar büyük.
calculation-not-real = Bunun sonucu gerçek bir sayı değil.
units-differ = { $from } ile { $to } aynı şeyi ölçmez, bu yüzden birbirine çevrilemez.
units-too-cold = Hiçbir şey mutlak sıfırdan, −273,15 santigrat dereceden, daha soğuk değildir.
random-pick = { $choice } çıktı.

## Timers

timer-set = Zamanlayıcı çalışıyor: { $duration }.
timer-set-named = “{ $label }” zamanlayıcısı çalışıyor: { $duration }.
timer-none = Çalışan zamanlayıcı yok.
timer-left = Zamanlayıcıda kalan: { $duration }.
timer-left-named = “{ $label }” zamanlayıcısında kalan: { $duration }.
timer-cancelled = Zamanlayıcı iptal edildi.
timer-cancelled-named = “{ $label }” zamanlayıcısı iptal edildi.
timers-cancelled = Bütün zamanlayıcılar iptal edildi.
timer-paused = Zamanlayıcı duraklatıldı, kalan: { $duration }.
timer-paused-named = “{ $label }” zamanlayıcısı duraklatıldı, kalan: { $duration }.
timer-resumed = Zamanlayıcı yine çalışıyor, kalan: { $duration }.
timer-resumed-named = “{ $label }” zamanlayıcısı yine çalışıyor, kalan: { $duration }.
timer-paused-already = Zaten duraklatılmış, kalan: { $duration }.
timer-runs-already = Duraklatılmamış, kalan: { $duration }.
timer-too-short = Yalnızca { $duration } kaldı, bu yüzden bir şey değiştirmedim.
timer-too-long = Bir zamanlayıcı en çok 24 saat çalışır.
timer-how-much = Ne kadar?
timer-ended = O zamanlayıcı artık sona erdi.
timer-unknown = Bu adda bir zamanlayıcı yok. Olanlar: { $names }.
timers-several = Birkaç zamanlayıcı çalışıyor: { $names }. Hangisi?
appointments-full = Zaten { $most } tane var, daha fazlası olmaz. Önce birini iptal et.

## Alarms and reminders

alarm-set = Alarm kuruldu: { $time }.
reminder-set = Hatırlatacağım: { $label }, { $time }.
reminder-item = { $label }: { $time }
reminder-cancelled = “{ $item }” iptal edildi.
reminders-none = Alarm ya da hatırlatıcı yok.
alarm-over = O saat geçti. Gelecek bir saat söyle.
reminders-none-of = { $kind ->
    [alarm] Kurulu alarm yok.
    [reminder] Hatırlatıcı yok.
   *[other] Alarm ya da hatırlatıcı yok.
}
reminders-no-fit = { $kind ->
    [alarm] Böyle bir alarm yok. Kurulu olanlar: { $items }.
    [reminder] Böyle bir hatırlatıcı yok. Olanlar: { $items }.
   *[other] Uyan bir alarm ya da hatırlatıcı yok. Olanlar: { $items }.
}
reminders-none-on = { $kind ->
    [alarm] { $day } için alarm yok. Kurulu olanlar: { $items }.
    [reminder] { $day } için hatırlatıcı yok. Olanlar: { $items }.
   *[other] { $day } için alarm ya da hatırlatıcı yok. Olanlar: { $items }.
}
reminders-several = { $kind ->
    [alarm] Birkaç alarm var: { $items }. Hangisi?
    [reminder] Birkaç hatırlatıcı var: { $items }. Hangisi?
   *[other] Birkaç tane var: { $items }. Hangisi?
}
reminders-cancelled = Hepsi iptal edildi: { $items }.
reminder-repeats = “{ $item }” yineleniyor ve yalnızca tamamen iptal edebilirim: istiyorsan günü söylemeden iste.
repeats-daily = her gün
repeats-weekdays = hafta içi her gün
repeats-weekly = her hafta
repeats-monthly = her ay
repeats-yearly = her yıl

## To-do lists

todo-list = { $list ->
    [to-do] yapılacaklar listende
   *[other] { $list } listende
}
todo-list-named = { $list }
todo-added = “{ $text }” { $list }.
todo-done = “{ $text }” tamamlandı.
todos-done = Tamamlandı: { $list }.
todo-no-fit = “{ $text }” listede yok. Yapılacaklar: { $list }.
todos-several = Birkaç şey uyuyor: { $list }. Hangisi?
todo-list-empty = Artık { $list } yapılacak bir şey kalmadı.
todo-removed = “{ $text }” artık { $list } değil.
taken-back-nothing = Geri alınacak bir şey kalmadı.
undone-removed = “{ $item }” artık yok.
undone-removed-unnamed = O artık yok.
undone-restored = “{ $item }” önceki gibi oldu.
undone-restored-unnamed = Her şey önceki gibi oldu.
undone-impossible = “{ $item }” geri alınamıyor: o zamandan beri değişti ya da kopyası saklanmadı.
undone-nothing = Geri alınacak bir şey yok: son on dakikada burada hiçbir şeyi değiştirmedim.
todos-open = Yapılacaklar: { $list }.
todos-open-on = Şunlar { $list }: { $items }.
todo-is-on = Evet, “{ $text }” { $list }.
todo-is-not-on = Hayır, “{ $text }” { $list } yok. Olanlar: { $items }.
todo-is-on-none = Hayır, “{ $text }” hiçbir listede yok. Yapılacaklar: { $items }.
todos-none = Yapılacak bir şey kalmadı.
todos-exported = Belgelerine { $file } adıyla kaydedildi.

## The voice of Jarvis

voice-volume = Artık sesin yüzde { $percent } kadarıyla konuşuyorum.
voice-volume-range = Ses düzeyim yüzde 0 ile yüzde 100 arasındadır.
voice-muted = Sustum: yanıtlar yalnızca gösterilir.
voice-unmuted = Yeniden konuşuyorum.
voice-missing = Kurulu seslerin hiçbiri bu yanıtın dilini konuşmuyor, bu yüzden yanıtı sistemin sesi okuyor.
voice-missing-download = Kurulu seslerin hiçbiri bu yanıtın dilini konuşmuyor, bu yüzden yanıtı sistemin sesi okuyor. Daha iyisini `jarvis models fetch { $voice }` ile edinebilirsin.

## What rings

ring-stopped = Kapatıldı.
ring-none = Çalan bir şey yok.
ring-again = { $duration } sonra yeniden çalacak.
snooze-range = Bir dakika ile 24 saat arasında yeniden çalabilir.
ring-timer = Zamanlayıcı bitti.
ring-timer-named = { $label } zamanlayıcısı bitti.
ring-alarm = Alarm çalıyor.
ring-alarm-named = Alarm: { $label }.
ring-reminder = Şimdi hatırlatmam gerekiyordu.
ring-reminder-named = Hatırlatma: { $label }.
ring-timer-missed = Zamanlayıcı ben kapalıyken bitti: { $time }.
ring-timer-missed-named = { $label } zamanlayıcısı ben kapalıyken bitti: { $time }.
ring-alarm-missed = Alarm ben kapalıyken kaçtı: { $time }.
ring-alarm-missed-named = Alarm ben kapalıyken kaçtı, { $time }: { $label }.
ring-reminder-missed = Bir hatırlatma ben kapalıyken kaçtı: { $time }.
ring-reminder-missed-named = Bir hatırlatma ben kapalıyken kaçtı, { $time }: { $label }.
ring-format-day = d.M.
ring-format-time = HH:mm
ring-on-day = { $day } { $time }

## A Command Center, whose node Jarvis is

node-go-ahead = Buyur.
node-done = Tamam, bitti.
node-did-not-work = Üzgünüm, olmadı.
node-did-not-work-why = Üzgünüm, olmadı: { $error }
node-unreachable = Command Center'a ulaşamıyorum.
node-answers-itself = Command Center'a ulaşamıyorum, bu yüzden kendim yanıtlıyorum.
node-asks-for-tool = Bunu Command Center istiyor. { $request }
node-results-not-sent = Command Center bulduklarımı kabul etmedi.
node-answer-not-sent = Command Center cevabını kabul etmedi.
node-too-many-rounds = Command Center hep daha fazlasını istedi, ben de durdum.
node-unauthorised = Command Center anahtarımı kabul etmiyor.
node-conversation-expired = Command Center konuşmamızı unuttu.
node-server-error = Command Center'da bir sorun var.
node-not-understood = Command Center'ın cevabını anlayamadım.
node-too-many-steps = Durdum, çünkü çok fazla adım oldu.
node-woken = Efendim?
node-answer-of-nobody = Soracak kimse yok. İsteği başka sözlerle ifade et.

## Delivering a reply

voice-quota = Ses hizmetinin kotası doldu, bu yüzden yazılı yanıtlıyorum.
voice-unavailable = Sesim şu anda çalışmıyor, bu yüzden yazılı yanıtlıyorum.
file-not-shown = “{ $name }” burada gösterilemiyor.
feedback-explained = Yanıt veremedim. { $explanation }
feedback-generic = Bir şeyler ters gitti ve bir yanıtım yok. Lütfen tekrar sor.

## Links, as they are spoken

spoken-link-to-homepage = { $site } ana sayfasına “{ $text }” metinli bağlantı
spoken-link-to-page = { $site } sitesindeki bir sayfaya “{ $text }” metinli bağlantı
spoken-homepage = { $site } ana sayfası
spoken-page = { $site } sitesindeki bir sayfa
