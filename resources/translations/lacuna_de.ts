<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>Charts</name>
    <message>
        <source>Generation %1: %2</source>
        <translation>Stand %1: %2</translation>
    </message>
    <message>
        <source>Change %1 rejected: %2</source>
        <translation>Änderung %1 abgelehnt: %2</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>vor %1 s</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>vor %1 min</translation>
    </message>
    <message>
        <source>Nothing has run yet. Compactions appear here once a prompt passes the trigger.</source>
        <translation>Noch ist nichts gelaufen. Verdichtungen erscheinen hier, sobald ein Prompt die Auslöseschwelle überschreitet.</translation>
    </message>
    <message>
        <source>No compaction: compression is off.</source>
        <translation>Keine Verdichtung: Die Kompression ist aus.</translation>
    </message>
    <message>
        <source>A compaction is due at the next step.</source>
        <translation>Beim nächsten Schritt ist eine Verdichtung fällig.</translation>
    </message>
    <message>
        <source>First compaction above %1 slots a head, %2 to go.</source>
        <translation>Erste Verdichtung über %1 Slots je Kopf, noch %2.</translation>
    </message>
    <message>
        <source>%1 does not report this.</source>
        <translation>%1 meldet das nicht.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Tokens processed</source>
        <translation>Verarbeitete Token</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>nothing here</source>
        <translation>hier ist nichts</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespart</translation>
    </message>
    <message>
        <source>First token of answer %1 after %2</source>
        <translation>Erstes Token der Antwort %1 nach %2</translation>
    </message>
    <message>
        <source>codes %1, scales %2, 16-bit window %3</source>
        <translation>Codes %1, Skalen %2, 16-Bit-Fenster %3</translation>
    </message>
    <message>
        <source>Nothing to measure: no token was evicted yet.</source>
        <translation>Nichts zu messen: Noch wurde kein Token verdrängt.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>In use: share of the cache that holds something, as the engine reports it.</source>
        <translation>In Gebrauch: Anteil des Caches, der etwas enthält, wie die Engine ihn meldet.</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>of the cache in use</source>
        <translation>des Caches in Gebrauch</translation>
    </message>
    <message>
        <source>KV cache, %1: %2 in use.</source>
        <translation>KV-Cache, %1: %2 in Gebrauch.</translation>
    </message>
    <message>
        <source>%1 being written</source>
        <translation>%1 in Arbeit</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 wartend</translation>
    </message>
    <message>
        <source>Bytes of keys and values appear with the first step.</source>
        <translation>Bytes der Schlüssel und Werte erscheinen mit dem ersten Schritt.</translation>
    </message>
    <message>
        <source>Logical: what an uncompressed cache of this type would hold. Live: slots in use; where rows are codes that is the rows in 16 bits of the newest and the first tokens, scales and biases that codes are read with, and codes, with what slots are numbered by. Allocated: buffers, slack included. Budget: bytes left after a compaction. Trigger: a compaction runs above it.</source>
        <translation>Logisch: was ein unkomprimierter Cache dieses Typs enthielte. Belegt: benutzte Slots; wo Zeilen codiert sind, sind das die 16-Bit-Zeilen der neuesten und der ersten Token, Skalen und Verschiebungen, mit denen die Codes gelesen werden, und die Codes samt der Nummern der Slots. Reserviert: Puffer mit Reserve. Budget: Bytes, die nach einer Verdichtung bleiben. Auslöser: Darüber läuft eine Verdichtung.</translation>
    </message>
    <message>
        <source>logical</source>
        <translation>logisch</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>trigger</source>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>scales</source>
        <translation>Skalen</translation>
    </message>
    <message>
        <source>16-bit window</source>
        <translation>16-Bit-Fenster</translation>
    </message>
    <message>
        <source>codes</source>
        <translation>Codes</translation>
    </message>
    <message>
        <source>live</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>%1 saved</source>
        <translation>%1 gespart</translation>
    </message>
    <message>
        <source>KV cache, %1: %2 live, %3 allocated, %4 without compression, %5 saved.</source>
        <translation>KV-Cache, %1: %2 belegt, %3 reserviert, %4 ohne Kompression, %5 gespart.</translation>
    </message>
    <message>
        <source> Live: %1.</source>
        <translation> Belegt: %1.</translation>
    </message>
    <message>
        <source>Achieved ratio</source>
        <translation>Erreichtes Verhältnis</translation>
    </message>
    <message>
        <source>Tokens per slot and bytes saved appear with the first step.</source>
        <translation>Token je Slot und gesparte Bytes erscheinen mit dem ersten Schritt.</translation>
    </message>
    <message>
        <source>asked</source>
        <translation>gefordert</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes.</source>
        <translation>Erreichtes Verhältnis, %1: %2 in Bytes.</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>asked %1</source>
        <translation>gefordert %1</translation>
    </message>
    <message>
        <source>%1 asked</source>
        <translation>%1 gefordert</translation>
    </message>
    <message>
        <source>none asked</source>
        <translation>keines gefordert</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Tokens per second appear while a prompt is read or an answer is written.</source>
        <translation>Token je Sekunde erscheinen, während ein Prompt gelesen oder eine Antwort geschrieben wird.</translation>
    </message>
    <message>
        <source>Decode: tokens of the answer per second, mean of one second, compactions included. Trend: the same smoothed over two seconds. Prefill: tokens of the prompt per second. Flags: time to the first token. Gaps are idle time. Logarithmic scale.</source>
        <translation>Decodieren: Token der Antwort je Sekunde, Mittel einer Sekunde, Verdichtungen eingerechnet. Trend: dasselbe, über zwei Sekunden geglättet. Prefill: Token des Prompts je Sekunde. Fähnchen: Zeit bis zum ersten Token. Lücken sind Leerlauf. Logarithmische Skala.</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>trend</source>
        <translation>Trend</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decodieren</translation>
    </message>
    <message>
        <source>first token %1</source>
        <translation>erstes Token %1</translation>
    </message>
    <message>
        <source>Throughput, %1: decoding %2, reading prompts %3, %4.</source>
        <translation>Durchsatz, %1: Decodieren %2, Prompts lesen %3, %4.</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>no answer finished</source>
        <translation>keine Antwort beendet</translation>
    </message>
    <message>
        <source>first token after %1</source>
        <translation>erstes Token nach %1</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>The compacted cache beside an uncompressed one, every so many tokens. KL: how far the chances of the next token moved, in nats. Differs: share of the newest 16 samples whose likeliest token is another. Error: relative error of the attention output of a few heads. Less is better; 0 is the uncompressed cache.</source>
        <translation>Der verdichtete Cache neben einem unkomprimierten, alle so und so viele Token. KL: wie weit sich die Wahrscheinlichkeiten des nächsten Tokens verschoben haben, in Nats. Abweichend: Anteil der neuesten 16 Proben, deren wahrscheinlichstes Token ein anderes ist. Fehler: relativer Fehler der Attention-Ausgabe einiger Köpfe. Weniger ist besser; 0 ist der unkomprimierte Cache.</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>abweichend</translation>
    </message>
    <message>
        <source>KL</source>
        <translation>KL</translation>
    </message>
    <message>
        <source>KL %1</source>
        <translation>KL %1</translation>
    </message>
    <message>
        <source>top-1 same %1</source>
        <translation>Top-1 gleich %1</translation>
    </message>
    <message>
        <source>costs %1 of the time</source>
        <translation>kostet %1 der Zeit</translation>
    </message>
    <message>
        <source>Quality, %1: KL %2 nats, the likeliest token is the same in %3 of the newest samples; measuring takes %4 of the time.</source>
        <translation>Qualität, %1: KL %2 Nats, das wahrscheinlichste Token ist in %3 der neuesten Proben dasselbe; das Messen nimmt %4 der Zeit.</translation>
    </message>
    <message>
        <source>Prompt reuse</source>
        <translation>Wiederverwendung</translation>
    </message>
    <message>
        <source>What a prompt need not read again appears with the first answer.</source>
        <translation>Was von einem Prompt nicht neu gelesen werden muss, erscheint mit der ersten Antwort.</translation>
    </message>
    <message>
        <source>reused</source>
        <translation>übernommen</translation>
    </message>
    <message>
        <source>of the last prompt</source>
        <translation>des letzten Prompts</translation>
    </message>
    <message>
        <source>Prompt reuse, %1: %2 of the last prompt was not read again.</source>
        <translation>Wiederverwendung, %1: %2 des letzten Prompts wurde nicht neu gelesen.</translation>
    </message>
    <message>
        <source>Kept texts</source>
        <translation>Aufbewahrte Texte</translation>
    </message>
    <message>
        <source>Nothing is kept for other conversations that begin alike.</source>
        <translation>Für andere Gespräche mit gleichem Anfang wird nichts aufbewahrt.</translation>
    </message>
    <message>
        <source>Bytes of what was read and is kept for conversations, branches and requests that begin alike. In memory, rows that a conversation holds as well are counted here too and take no second copy. Limits are set on the page Memory.</source>
        <translation>Bytes dessen, was gelesen wurde und für Gespräche, Zweige und Anfragen mit gleichem Anfang aufbewahrt wird. Im Speicher zählen hier auch Zeilen, die ein Gespräch ebenfalls hält und die keine zweite Kopie brauchen. Grenzen werden auf der Seite „Gedächtnis“ gesetzt.</translation>
    </message>
    <message>
        <source>on disk</source>
        <translation>auf Platte</translation>
    </message>
    <message>
        <source>in memory</source>
        <translation>im Speicher</translation>
    </message>
    <message>
        <source>%1 on disk</source>
        <translation>%1 auf Platte</translation>
    </message>
    <message>
        <source>Kept texts, %1: %2 in memory, %3 on disk.</source>
        <translation>Aufbewahrte Texte, %1: %2 im Speicher, %3 auf der Platte.</translation>
    </message>
    <message>
        <source>p50 %1</source>
        <translation>p50 %1</translation>
    </message>
    <message>
        <source>p99 %1</source>
        <translation>p99 %1</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>von Hand</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>%1 (and %2 other reasons)</source>
        <translation>%1 (und %2 andere Gründe)</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>rejected</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>ausgelassen</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>Abfragen</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Bewerten</translation>
    </message>
    <message>
        <source>select</source>
        <translation>Auswählen</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>Anpassen</translation>
    </message>
    <message>
        <source>apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Compaction pause</source>
        <translation>Pause je Verdichtung</translation>
    </message>
    <message>
        <source>No compaction in this window.</source>
        <translation>Keine Verdichtung in diesem Ausschnitt.</translation>
    </message>
    <message>
        <source>work up to %1</source>
        <translation>Arbeit bis zu %1</translation>
    </message>
    <message>
        <source>Compaction pause: %1 compactions, last %2, median %3, longest %4, %5 failed.</source>
        <translation>Pause je Verdichtung: %1 Verdichtungen, letzte %2, Median %3, längste %4, %5 fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Outcomes</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>%1 done</source>
        <translation>%1 fertig</translation>
    </message>
    <message>
        <source>Latency by stage</source>
        <translation>Latenz nach Stufen</translation>
    </message>
    <message>
        <source>p95 %1</source>
        <translation>p95 %1</translation>
    </message>
    <message>
        <source>pauses of %1</source>
        <translation>Pausen von %1</translation>
    </message>
    <message>
        <source>%1 %2 and %3</source>
        <translation>%1 %2 und %3</translation>
    </message>
    <message>
        <source>Latency by stage: %1 compactions; median and p95 of %2.</source>
        <translation>Latenz nach Stufen: %1 Verdichtungen; Median und p95: %2.</translation>
    </message>
    <message>
        <source>median / p95</source>
        <translation>Median / p95</translation>
    </message>
    <message>
        <source>tallest bar: %1</source>
        <translation>höchster Balken: %1</translation>
    </message>
    <message>
        <source>Tokens brought back</source>
        <translation>Zurückgeholte Token</translation>
    </message>
    <message>
        <source>Nothing was brought back yet: mark words that the retention overlay shows as forgotten, and choose Bring back.</source>
        <translation>Noch wurde nichts zurückgeholt: Markieren Sie Wörter, die „Verbleib einblenden“ als vergessen zeigt, und wählen Sie „Zurückholen“.</translation>
    </message>
    <message>
        <source>Tokens that compactions had forgotten and that were brought back, all of them so far; and how many of them no compaction forgets, as it was after the newest of them. Bytes are those of their rows in an uncompressed cache.</source>
        <translation>Token, die Verdichtungen vergessen hatten und die zurückgeholt wurden, alle bisherigen; und wie viele davon keine Verdichtung vergisst, nach dem Stand des neuesten. Bytes sind die ihrer Zeilen in einem unkomprimierten Cache.</translation>
    </message>
    <message>
        <source>brought back</source>
        <translation>zurückgeholt</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>%1 kept, %2</source>
        <translation>%1 behalten, %2</translation>
    </message>
    <message>
        <source>Tokens brought back, %1: %2 so far, of which %3 are kept, %4 of rows.</source>
        <translation>Zurückgeholte Token, %1: bisher %2, davon %3 behalten, %4 an Zeilen.</translation>
    </message>
    <message>
        <source>Bytes: logical to live bytes of the whole cache. Tokens: tokens of the context for each slot, mean over all heads, whatever each has for itself; bytes differ from it where rows are codes. Asked: the ratio the settings asked for when a compaction ran. 1x means nothing is saved.</source>
        <translation>Bytes: logische zu belegten Bytes des ganzen Caches. Token: Token des Kontexts je Slot, Mittel über alle Köpfe, was immer jeder für sich hat; Bytes weichen davon ab, wo Zeilen Codes sind. Verlangt: das Verhältnis, das die Einstellungen verlangten, als verdichtet wurde. 1x heißt, dass nichts gespart ist.</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes, %3 in tokens a slot, %4.</source>
        <translation>Erreichtes Verhältnis, %1: %2 in Bytes, %3 in Token je Slot, %4.</translation>
    </message>
    <message>
        <source>Of the prompt of each answer, the share that was not read again: it stood in the conversation&apos;s own cache, or in what is kept of other texts that begin alike. 100 % is all of it but the last token.</source>
        <translation>Anteil des Prompts jeder Antwort, der nicht neu gelesen wurde: Er stand im eigenen Cache des Gesprächs oder in dem, was von anderen Texten mit gleichem Anfang aufbewahrt wird. 100 % ist alles bis auf das letzte Token.</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>Tok/s</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>Nothing in this window: it was idle.</source>
        <translation>In diesem Fenster ist nichts: Es war Leerlauf.</translation>
    </message>
    <message>
        <source>another cache from here on</source>
        <translation>ab hier ein anderer Cache</translation>
    </message>
    <message>
        <source>This conversation has no cache now.</source>
        <translation>Dieses Gespräch hat jetzt keinen Cache.</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>begrenzt</translation>
    </message>
    <message>
        <source>Attempts per bar: compactions done, limited (done with a smaller ratio than asked for, so that less is lost), failed, skipped, and cancelled; settings rejected. The crosshair tells why.</source>
        <translation>Versuche je Balken: Verdichtungen erledigt, begrenzt (mit kleinerem Verhältnis als verlangt, damit weniger verloren geht), gescheitert, übersprungen und abgebrochen; Einstellungen abgelehnt. Das Fadenkreuz sagt, warum.</translation>
    </message>
    <message>
        <source>Outcomes so far: %1 compactions done, %2 limited, %3 failed, %4 skipped, %5 cancelled, %6 settings rejected.</source>
        <translation>Ergebnisse bisher: %1 Verdichtungen erledigt, %2 begrenzt, %3 gescheitert, %4 übersprungen, %5 abgebrochen, %6 Einstellungen abgelehnt.</translation>
    </message>
    <message>
        <source>work %1</source>
        <translation>Arbeit %1</translation>
    </message>
    <message>
        <source>How long the conversation waited for each compaction. Circle: over budget. Square: asked for by hand. Diamond: after a change of settings. Triangle: the caches of all conversations together reached the cache limit. Cross: failed, the cache stayed as it was. Dash: all of its work, where part of it ran in the background. A click selects the row of the timeline.</source>
        <translation>Wie lange das Gespräch auf jede Verdichtung wartete. Kreis: über dem Budget. Quadrat: von Hand verlangt. Raute: nach einer Änderung der Einstellungen. Dreieck: Die Caches aller Gespräche zusammen erreichten die Cache-Grenze. Kreuz: gescheitert, der Cache blieb, wie er war. Strich: ihre ganze Arbeit, wo ein Teil davon im Hintergrund lief. Ein Klick wählt die Zeile der Zeitleiste.</translation>
    </message>
    <message>
        <source>How many compactions of the window took how long in each stage, on a logarithmic scale. Score: how much each slot matters. Select: which stay. Fit: biases and values of those that stay. Apply: writing the cache. Work: all of it. Pause: what of it the conversation waited for. Solid line: median; dashed line: 95 of 100 are faster. All lanes have one scale of counts.</source>
        <translation>Wie viele Verdichtungen des Fensters in jedem Abschnitt wie lange dauerten, logarithmisch. Bewerten: wie viel jeder Slot zählt. Auswählen: welche bleiben. Anpassen: Bias und Werte der bleibenden. Anwenden: den Cache schreiben. Arbeit: alles zusammen. Pause: worauf davon das Gespräch wartete. Durchgezogene Linie: Median; gestrichelte: 95 von 100 sind schneller. Alle Spuren haben eine Skala der Anzahl.</translation>
    </message>
    <message>
        <source>Measured in the pause after the next answer.</source>
        <translation>Wird in der Pause nach der nächsten Antwort gemessen.</translation>
    </message>
</context>
<context>
    <name>ChatMessages</name>
    <message>
        <source>Ended at the longest answer allowed. Raise &quot;Longest answer&quot; to get more.</source>
        <translation>Beendet, weil die längste erlaubte Antwort erreicht ist. Für mehr „Längste Antwort“ erhöhen.</translation>
    </message>
    <message>
        <source>Ended because the context is full. Let it go on without the older half (context shift), raise the context, or start a new conversation.</source>
        <translation>Beendet, weil der Kontext voll ist. Ohne die ältere Hälfte weitermachen (Kontextverschiebung), den Kontext vergrößern oder ein neues Gespräch beginnen.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>Die Antwort ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Shorten the question or raise the context.</source>
        <translation>Frage kürzen oder Kontext vergrößern.</translation>
    </message>
    <message>
        <source>Shorten or remove “%1”, or raise the context.</source>
        <translation>„%1“ kürzen oder entfernen, oder den Kontext vergrößern.</translation>
    </message>
</context>
<context>
    <name>Choices</name>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Evict tokens</source>
        <translation>Token verdrängen</translation>
    </message>
    <message>
        <source>Attention matching</source>
        <translation>Attention Matching</translation>
    </message>
    <message>
        <source>Low key norms</source>
        <translation>Niedrige Schlüsselnormen</translation>
    </message>
    <message>
        <source>High key norms</source>
        <translation>Hohe Schlüsselnormen</translation>
    </message>
    <message>
        <source>Unlike the others (KeyDiff)</source>
        <translation>Unähnlichste (KeyDiff)</translation>
    </message>
    <message>
        <source>Newest only (StreamingLLM)</source>
        <translation>Nur neueste (StreamingLLM)</translation>
    </message>
    <message>
        <source>Seen by the newest queries (SnapKV)</source>
        <translation>Von den neuesten Abfragen beachtet (SnapKV)</translation>
    </message>
    <message>
        <source>Seen by all queries (H2O)</source>
        <translation>Von allen Abfragen beachtet (H2O)</translation>
    </message>
    <message>
        <source>Seen when the text is repeated (KVzip)</source>
        <translation>Beim Wiederholen des Textes beachtet (KVzip)</translation>
    </message>
    <message>
        <source>Expected to be seen (Expected Attention)</source>
        <translation>Voraussichtlich beachtet (Expected Attention)</translation>
    </message>
    <message>
        <source>Each head alone</source>
        <translation>Jeder Kopf für sich</translation>
    </message>
    <message>
        <source>Heads of a layer together</source>
        <translation>Köpfe einer Schicht gemeinsam</translation>
    </message>
    <message>
        <source>All layers together</source>
        <translation>Alle Schichten gemeinsam</translation>
    </message>
    <message>
        <source>Every head the same</source>
        <translation>Jedem Kopf gleich viel</translation>
    </message>
    <message>
        <source>By score in a layer (Ada-KV)</source>
        <translation>Nach Wertung in einer Schicht (Ada-KV)</translation>
    </message>
    <message>
        <source>By score in all layers (KVzip)</source>
        <translation>Nach Wertung in allen Schichten (KVzip)</translation>
    </message>
    <message>
        <source>By how widely a head looks</source>
        <translation>Danach, wie breit ein Kopf schaut</translation>
    </message>
    <message>
        <source>By how its error falls</source>
        <translation>Danach, wie sein Fehler sinkt</translation>
    </message>
    <message>
        <source>Measured without a task</source>
        <translation>Ohne Aufgabe gemessen</translation>
    </message>
    <message>
        <source>Measured with questions (bench)</source>
        <translation>Mit Fragen gemessen (Bench)</translation>
    </message>
    <message>
        <source>A repetition of the text</source>
        <translation>Wiederholung des Textes</translation>
    </message>
    <message>
        <source>A surrogate fitted to the model</source>
        <translation>Auf das Modell angepasster Ersatz</translation>
    </message>
    <message>
        <source>By a repetition of the text</source>
        <translation>Durch Wiederholung des Textes</translation>
    </message>
    <message>
        <source>Asked so far</source>
        <translation>Bisher gestellt</translation>
    </message>
    <message>
        <source>Text read again</source>
        <translation>Text neu gelesen</translation>
    </message>
    <message>
        <source>Text repeated</source>
        <translation>Text wiederholt</translation>
    </message>
    <message>
        <source>At the budget</source>
        <translation>Beim Budget</translation>
    </message>
    <message>
        <source>One turn late</source>
        <translation>Eine Runde später</translation>
    </message>
    <message>
        <source>After the prompt</source>
        <translation>Nach dem Prompt</translation>
    </message>
    <message>
        <source>With each chunk</source>
        <translation>Mit jedem Stück</translation>
    </message>
    <message>
        <source>All alike</source>
        <translation>Alle gleich</translation>
    </message>
    <message>
        <source>Random (Hadamard)</source>
        <translation>Zufällig (Hadamard)</translation>
    </message>
    <message>
        <source>Calibrated on the model</source>
        <translation>Auf das Modell kalibriert</translation>
    </message>
    <message>
        <source>Shared</source>
        <translation>Gemeinsam</translation>
    </message>
    <message>
        <source>One for each answer</source>
        <translation>Einer je Antwort</translation>
    </message>
    <message>
        <source>Fast (8 bits)</source>
        <translation>Schnell (8 Bit)</translation>
    </message>
    <message>
        <source>Exact (slow)</source>
        <translation>Exakt (langsam)</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>8 bits in two terms</source>
        <translation>8 Bit in zwei Termen</translation>
    </message>
    <message>
        <source>By distance and query centres (TriAttention)</source>
        <translation>Nach Abstand und Zentren der Anfragen (TriAttention)</translation>
    </message>
    <message>
        <source>Strict</source>
        <translation>Streng</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
</context>
<context>
    <name>ComparisonTable</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>%1: %2 tokens</source>
        <translation>%1: %2 Token</translation>
    </message>
    <message>
        <source>Answer, tokens</source>
        <translation>Antwort, Token</translation>
    </message>
    <message>
        <source>ended: A %1, B %2</source>
        <translation>Ende: A %1, B %2</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>Belegte Bytes</translation>
    </message>
    <message>
        <source>Allocated bytes</source>
        <translation>Reservierte Bytes</translation>
    </message>
    <message>
        <source>Logical to live bytes</source>
        <translation>Logische zu belegten Bytes</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>Time in compactions</source>
        <translation>Zeit für Verdichtungen</translation>
    </message>
    <message>
        <source>Time to read the prompt</source>
        <translation>Zeit zum Lesen des Prompts</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Answer, tokens per second</source>
        <translation>Antwort, Token je Sekunde</translation>
    </message>
    <message>
        <source>measuring is not in it</source>
        <translation>ohne das Messen</translation>
    </message>
    <message>
        <source>KL to the whole cache, mean</source>
        <translation>KL zum ganzen Cache, Mittel</translation>
    </message>
    <message>
        <source>KL, 99th percentile</source>
        <translation>KL, 99. Perzentil</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>Nats</translation>
    </message>
    <message>
        <source>Same likeliest token</source>
        <translation>Gleiches Top-Token</translation>
    </message>
    <message>
        <source>the answer has ended</source>
        <translation>die Antwort ist zu Ende</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>The same %1 tokens.</source>
        <translation>Dieselben %1 Token.</translation>
    </message>
    <message>
        <source> Neither cache was made smaller: ask about a longer text, or compress more.</source>
        <translation> Keiner der Caches wurde verkleinert: Fragen Sie zu einem längeren Text oder komprimieren Sie stärker.</translation>
    </message>
    <message>
        <source>First difference at token %1 of the answer. A: %2. B: %3.</source>
        <translation>Erster Unterschied bei Token %1 der Antwort. A: %2. B: %3.</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
</context>
<context>
    <name>ConnectionList</name>
    <message>
        <source>No key is kept.</source>
        <translation>Kein Schlüssel ist gespeichert.</translation>
    </message>
    <message>
        <source>The key is kept in the keyring of the desktop.</source>
        <translation>Der Schlüssel liegt im Schlüsselbund des Desktops.</translation>
    </message>
    <message>
        <source>There is no keyring here: the key is kept in a file that only you may read.</source>
        <translation>Hier gibt es keinen Schlüsselbund: Der Schlüssel liegt in einer Datei, die nur Sie lesen dürfen.</translation>
    </message>
    <message>
        <source>The key is forgotten when the program ends.</source>
        <translation>Der Schlüssel wird vergessen, wenn das Programm endet.</translation>
    </message>
</context>
<context>
    <name>Conversations</name>
    <message>
        <source>The stored conversations were damaged, and nothing in them could be read. The file was moved to %1, and a new one was begun.</source>
        <translation>Die gespeicherten Gespräche waren beschädigt, nichts darin war lesbar. Die Datei wurde nach %1 verschoben und eine neue begonnen.</translation>
    </message>
    <message>
        <source>The stored conversations were damaged. What could be read was saved: %1 conversations with %2 messages. </source>
        <translation>Die gespeicherten Gespräche waren beschädigt. Was lesbar war, wurde gerettet: %1 Gespräche mit %2 Nachrichten. </translation>
    </message>
    <message>
        <source>No message is known to be missing. </source>
        <translation>Soweit bekannt, fehlt keine Nachricht. </translation>
    </message>
    <message>
        <source>At least %1 messages are lost. </source>
        <translation>Mindestens %1 Nachrichten sind verloren. </translation>
    </message>
    <message>
        <source>The damaged file is kept as %1.</source>
        <translation>Die beschädigte Datei bleibt als %1 erhalten.</translation>
    </message>
    <message>
        <source>“%1” was changed by another Lacuna meanwhile.</source>
        <translation>„%1“ wurde inzwischen von einem anderen Lacuna geändert.</translation>
    </message>
    <message>
        <source>%1 was written by a newer Lacuna. It was left alone, and conversations are not kept this time.</source>
        <translation>%1 wurde von einem neueren Lacuna geschrieben. Die Datei bleibt unangetastet, und Gespräche werden diesmal nicht gespeichert.</translation>
    </message>
    <message>
        <source>Conversations are not kept: %1</source>
        <translation>Gespräche werden nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>%1 cannot be made.</source>
        <translation>%1 lässt sich nicht anlegen.</translation>
    </message>
    <message>
        <source>%1 is damaged, and what can be read of it cannot be saved: %2</source>
        <translation>%1 ist beschädigt, und was davon lesbar ist, lässt sich nicht speichern: %2</translation>
    </message>
    <message>
        <source>They are shown here, and nothing</source>
        <translation>Sie werden hier angezeigt, und nichts</translation>
    </message>
    <message>
        <source>They cannot be read here, and nothing</source>
        <translation>Sie können hier nicht gelesen werden, und nichts</translation>
    </message>
    <message>
        <source>Another Lacuna (%1) keeps the conversations of %2. %3 is written before that one ends. `lacuna window --data-dir FOLDER` keeps them in a folder of its own.</source>
        <translation>Ein anderes Lacuna (%1) speichert die Gespräche von %2. %3 wird geschrieben, bevor jenes endet. `lacuna window --data-dir ORDNER` speichert sie in einem eigenen Ordner.</translation>
    </message>
    <message>
        <source>Conversations are not kept: %1 %2 is written before that is mended.</source>
        <translation>Gespräche werden nicht gespeichert: %1 %2 wird geschrieben, bevor das behoben ist.</translation>
    </message>
    <message>
        <source>%1 cannot be renamed.</source>
        <translation>%1 lässt sich nicht umbenennen.</translation>
    </message>
    <message>
        <source>%1 cannot be moved aside.</source>
        <translation>%1 lässt sich nicht beiseitelegen.</translation>
    </message>
    <message>
        <source>This message is not what was written: it was damaged on disk.</source>
        <translation>Diese Nachricht ist nicht, was geschrieben wurde: Sie wurde auf der Platte beschädigt.</translation>
    </message>
    <message>
        <source>Lacuna ended while this answer was being written.</source>
        <translation>Lacuna endete, während diese Antwort geschrieben wurde.</translation>
    </message>
    <message>
        <source>Recovered conversation</source>
        <translation>Wiederhergestelltes Gespräch</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>idle: the next token decides by the new settings</source>
        <translation>ruht: Nächstes Token entscheidet nach neuen Einstellungen</translation>
    </message>
    <message>
        <source>method is none</source>
        <translation>die Methode ist „Keine“</translation>
    </message>
    <message>
        <source>method is l2</source>
        <translation>die Methode ist „Token verdrängen“</translation>
    </message>
    <message>
        <source>method is am</source>
        <translation>die Methode ist „Attention Matching“</translation>
    </message>
    <message>
        <source>the AM ratio is 1 and there is no budget</source>
        <translation>das AM-Verhältnis ist 1, und es gibt kein Budget</translation>
    </message>
    <message>
        <source>only the cache limit compacts</source>
        <translation>nur die Cache-Grenze verdichtet</translation>
    </message>
    <message>
        <source>method is none, there is no window and no row of codes is kept in 16 bits</source>
        <translation>die Methode ist „Keine“, es gibt kein Fenster, und keine codierte Zeile wird in 16 Bit gehalten</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and no row of codes is kept in 16 bits</source>
        <translation>das AM-Verhältnis ist 1, es gibt kein Budget, und keine codierte Zeile wird in 16 Bit gehalten</translation>
    </message>
    <message>
        <source>nothing is chosen by reconstruction scores</source>
        <translation>nichts wird nach Rekonstruktionswerten gewählt</translation>
    </message>
    <message>
        <source>the policy chooses by keys, not by attention</source>
        <translation>die Regel wählt nach Schlüsseln, nicht nach Attention</translation>
    </message>
    <message>
        <source>method is l2 and no text is read again for it</source>
        <translation>die Methode ist „Token verdrängen“, und dafür wird kein Text neu gelesen</translation>
    </message>
    <message>
        <source>%1 or more while method is l2</source>
        <translation>%1 oder mehr, solange die Methode „Token verdrängen“ ist</translation>
    </message>
    <message>
        <source>every layer of %1 keeps a window of its own%2</source>
        <translation>jede Schicht von %1 hat ein eigenes Fenster%2</translation>
    </message>
    <message>
        <source>unless layer_caches is uniform</source>
        <translation>außer wenn layer_caches uniform ist</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 or more</source>
        <translation>%1 oder mehr</translation>
    </message>
    <message>
        <source>%1 sinks, %2 recent tokens and one more slot must fit</source>
        <translation>%1 Senken, %2 neueste Token und ein weiterer Slot müssen hineinpassen</translation>
    </message>
    <message>
        <source>the context has %1 tokens</source>
        <translation>der Kontext hat %1 Token</translation>
    </message>
    <message>
        <source>0 to %1</source>
        <translation>0 bis %1</translation>
    </message>
    <message>
        <source>the context has %1 tokens and nothing would be left to compact</source>
        <translation>der Kontext hat %1 Token, und nichts bliebe zu verdichten</translation>
    </message>
    <message>
        <source>off, or 1 to %1</source>
        <translation>aus, oder 1 bis %1</translation>
    </message>
    <message>
        <source>a margin may not pass the budget</source>
        <translation>ein Spielraum darf das Budget nicht überschreiten</translation>
    </message>
    <message>
        <source>auto, uniform, entropy, coverage, task_free, reconstruction</source>
        <translation>auto, uniform, entropy, coverage, task_free, reconstruction</translation>
    </message>
    <message>
        <source>%1 has no head profile made with questions (lacuna calibrate-kv --questions makes it)</source>
        <translation>%1 hat kein mit Fragen erstelltes Kopfprofil (lacuna calibrate-kv --questions erstellt es)</translation>
    </message>
    <message>
        <source>auto, repetition</source>
        <translation>auto, repetition</translation>
    </message>
    <message>
        <source>%1 has no surrogate of reconstruction scores (lacuna calibrate-kv --surrogate fits one)</source>
        <translation>%1 hat keinen Ersatz für Rekonstruktionswerte (lacuna calibrate-kv --surrogate passt einen an)</translation>
    </message>
    <message>
        <source>auto or equal while coherence is %1</source>
        <translation>auto oder equal, solange coherence %1 ist</translation>
    </message>
    <message>
        <source>heads that choose together keep the same tokens, so none can keep more</source>
        <translation>Köpfe, die gemeinsam wählen, behalten dieselben Token, also kann keiner mehr behalten</translation>
    </message>
    <message>
        <source>auto, equal, adaptive</source>
        <translation>auto, equal, adaptive</translation>
    </message>
    <message>
        <source>scores of %1 cannot be compared between layers, only shares of attention can</source>
        <translation>Wertungen von %1 sind zwischen Schichten nicht vergleichbar, nur Anteile der Attention sind es</translation>
    </message>
    <message>
        <source>layers 0 to %1</source>
        <translation>Schichten 0 bis %1</translation>
    </message>
    <message>
        <source>%1 has %2 layers</source>
        <translation>%1 hat %2 Schichten</translation>
    </message>
    <message>
        <source>each layer once</source>
        <translation>jede Schicht einmal</translation>
    </message>
    <message>
        <source>layer %1 is named twice</source>
        <translation>Schicht %1 ist zweimal genannt</translation>
    </message>
    <message>
        <source>fewer than all %1 layers</source>
        <translation>weniger als alle %1 Schichten</translation>
    </message>
    <message>
        <source>fewer layers without a window of their own</source>
        <translation>weniger Schichten ohne eigenes Fenster</translation>
    </message>
    <message>
        <source>%1 would leave every layer as it is</source>
        <translation>%1 ließe jede Schicht, wie sie ist</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>AM ratio</source>
        <translation>AM-Verhältnis</translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>Token-Budget</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>Slots</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction; at least sinks + keep recent + 1, at most the context. Between two compactions the cache may pass it by the margin.</source>
        <translation>Slots, die jeder Kopf nach einer Verdichtung behält; mindestens Senken + neueste + 1, höchstens der Kontext. Zwischen zwei Verdichtungen darf der Cache um den Spielraum darüber liegen.</translation>
    </message>
    <message>
        <source>Keep recent</source>
        <translation>Neueste behalten</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Sinks</source>
        <translation>Senken</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Spielraum</translation>
    </message>
    <message>
        <source>Slots above the target before a compaction fires; off means an eighth of the target, between 16 and 256. A larger margin compacts less often and holds more.</source>
        <translation>Slots über dem Ziel, bevor eine Verdichtung auslöst; aus heißt ein Achtel des Ziels, zwischen 16 und 256. Ein größerer Spielraum verdichtet seltener und hält mehr.</translation>
    </message>
    <message>
        <source>Keep which keys</source>
        <translation>Welche Schlüssel bleiben</translation>
    </message>
    <message>
        <source>Heads decide</source>
        <translation>Köpfe entscheiden</translation>
    </message>
    <message>
        <source>Whether each head evicts for itself, the heads of a layer together, or all layers together.</source>
        <translation>Ob jeder Kopf für sich verdrängt, die Köpfe einer Schicht gemeinsam oder alle Schichten gemeinsam.</translation>
    </message>
    <message>
        <source>Slots by head (eviction)</source>
        <translation>Slots je Kopf (Verdrängung)</translation>
    </message>
    <message>
        <source>How an l2 eviction shares its slots out; the total is the same. equal: every head the budget. adaptive: the heads of a layer share, those with higher scores keep more, and each a fifth for itself (Ada-KV, arXiv 2407.11550); scores that are no attention count in units of their own spread. whole_model: all heads of all layers share, for policies by attention alone. With either, heads choose alone (coherence=per_head). auto is whole_model for reconstruct, else equal.</source>
        <translation>Wie eine l2-Verdrängung ihre Slots verteilt; die Summe ist dieselbe. equal: jeder Kopf das Budget. adaptive: Die Köpfe einer Schicht teilen, solche mit höheren Wertungen behalten mehr, und jeder ein Fünftel für sich (Ada-KV, arXiv 2407.11550); Wertungen, die keine Attention sind, zählen in Einheiten ihrer eigenen Streuung. whole_model: Alle Köpfe aller Schichten teilen, für Regeln nach Attention allein. Mit beiden wählen Köpfe für sich (coherence=per_head). auto ist whole_model bei reconstruct, sonst equal.</translation>
    </message>
    <message>
        <source>Slots by head</source>
        <translation>Slots je Kopf</translation>
    </message>
    <message>
        <source>Reconstruction scores by</source>
        <translation>Rekonstruktionswerte durch</translation>
    </message>
    <message>
        <source>Demote punctuation</source>
        <translation>Satzzeichen abwerten</translation>
    </message>
    <message>
        <source>on lets tokens without a letter or a digit count a fifth where an l2 eviction chooses by attention: punctuation, blanks and markup, unless they join two words or numbers. At high ratios they take many slots of larger models.</source>
        <translation>on lässt Token ohne Buchstaben oder Ziffer nur ein Fünftel zählen, wo eine l2-Verdrängung nach Attention wählt: Satzzeichen, Leerraum und Auszeichnung, außer wenn sie zwei Wörter oder Zahlen verbinden. Bei hohen Verhältnissen nehmen sie größeren Modellen viele Slots.</translation>
    </message>
    <message>
        <source>Judged by queries of</source>
        <translation>Beurteilt nach Abfragen</translation>
    </message>
    <message>
        <source>Whose queries an am compaction is fitted to. captured: those the model asked so far, at no cost; where rows came from elsewhere and these are too few, as context. context: those of the text, which is read once more; nothing is collected while it answers. repeat: those of the text repeated after an instruction to do so, which takes more than two readings, see background. The cache of such a reading takes memory meanwhile, within cache_limit; where there is no room, or a repetition passes the context of the model, the next lesser choice is taken, and the compaction says so. random: nobody&apos;s, a control for measurements only.</source>
        <translation>An wessen Abfragen eine am-Verdichtung angepasst wird. captured: die bisher vom Modell gestellten, ohne Kosten; wo Zeilen anderswoher kamen und es zu wenige sind, wie context. context: die des Textes, der noch einmal gelesen wird; während der Antwort wird nichts gesammelt. repeat: die des auf Anweisung wiederholten Textes, was mehr als zwei Lesungen braucht, siehe background. Der Cache einer solchen Lesung nimmt solange Speicher, innerhalb von cache_limit; wo kein Platz ist oder eine Wiederholung den Kontext des Modells überschreitet, wird die nächstgeringere Wahl genommen, und die Verdichtung sagt es. random: niemandes, nur zur Kontrolle bei Messungen.</translation>
    </message>
    <message>
        <source>Compact when</source>
        <translation>Wann verdichten</translation>
    </message>
    <message>
        <source>at_budget compacts as soon as budget or ratio and margin are passed. turn_late waits for the end of an answer and compacts what stood before its question; question and answer stay as they are until the next answer has ended, and their queries alone judge the rest (delayed compaction, arXiv 2608.00902). The AM ratio then counts for what stood before; the cache may grow by a whole turn beyond the budget. cache_limit and compacting by hand act at once all the same. A conversation that is read anew or from a file counts as one turn of the past.</source>
        <translation>at_budget verdichtet, sobald Budget oder Verhältnis samt Spielraum überschritten sind. turn_late wartet das Ende einer Antwort ab und verdichtet, was vor ihrer Frage stand; Frage und Antwort bleiben, wie sie sind, bis die nächste Antwort zu Ende ist, und deren Abfragen allein beurteilen den Rest (verzögerte Verdichtung, arXiv 2608.00902). Das AM-Verhältnis zählt dann für das, was davor stand; der Cache kann um eine ganze Runde über das Budget wachsen. cache_limit und Verdichten von Hand wirken dennoch sofort. Ein Gespräch, das neu oder aus einer Datei gelesen wird, zählt als eine vergangene Runde.</translation>
    </message>
    <message>
        <source>Pin rare tokens</source>
        <translation>Seltene Token festhalten</translation>
    </message>
    <message>
        <source>The rarest tokens by their keys, names, numbers and codes, stay verbatim with four neighbours on either side in an am compaction; at most a quarter of what a head keeps. 0 pins nothing.</source>
        <translation>Die nach ihren Schlüsseln seltensten Token, Namen, Zahlen und Codes, bleiben bei einer am-Verdichtung wörtlich, mit vier Nachbarn auf jeder Seite; höchstens ein Viertel dessen, was ein Kopf behält. 0 hält nichts fest.</translation>
    </message>
    <message>
        <source>Compact beside the answer</source>
        <translation>Neben der Antwort verdichten</translation>
    </message>
    <message>
        <source>on fits an am compaction on threads of low priority while the conversation goes on, and takes it over between two tokens; where the text is read again for a compaction, that waits for a pause between answers. off stops the answer meanwhile. Other l2 compactions take no time worth mentioning and are always done at once.</source>
        <translation>on passt eine am-Verdichtung in Threads niedriger Priorität an, während das Gespräch weitergeht, und übernimmt sie zwischen zwei Token; wo der Text dafür neu gelesen wird, wartet das auf eine Pause zwischen Antworten. off hält die Antwort solange an. Andere l2-Verdichtungen brauchen kaum Zeit und geschehen immer sofort.</translation>
    </message>
    <message>
        <source>Skip layers</source>
        <translation>Schichten auslassen</translation>
    </message>
    <message>
        <source>Layers a compaction leaves whole, as 0,1. The real ratio then falls accordingly.</source>
        <translation>Schichten, die eine Verdichtung unverändert lässt, etwa 0,1. Das wirkliche Verhältnis sinkt entsprechend.</translation>
    </message>
    <message>
        <source>Compact prompts</source>
        <translation>Prompts verdichten</translation>
    </message>
    <message>
        <source>after_prefill compacts once the prompt is in (best quality); per_chunk compacts between chunks (memory stays bounded).</source>
        <translation>after_prefill verdichtet, wenn der Prompt gelesen ist (beste Qualität); per_chunk verdichtet zwischen Stücken (Speicher bleibt begrenzt).</translation>
    </message>
    <message>
        <source>the heads of %1 have %2 numbers</source>
        <translation>die Köpfe von %1 haben %2 Zahlen</translation>
    </message>
    <message>
        <source>%1, and rotated codes need an even number from %2 to %3</source>
        <translation>%1, und rotierte Codes brauchen eine gerade Zahl von %2 bis %3</translation>
    </message>
    <message>
        <source>%1, which groups of %2 do not divide</source>
        <translation>%1, was Gruppen von %2 nicht teilen</translation>
    </message>
    <message>
        <source>same, %1, or codes (q8_0, q4_0, t8 to t1)</source>
        <translation>same, %1, oder Codes (q8_0, q4_0, t8 bis t1)</translation>
    </message>
    <message>
        <source>keys and values that are plain numbers have one type</source>
        <translation>Schlüssel und Werte, die einfache Zahlen sind, haben einen gemeinsamen Typ</translation>
    </message>
    <message>
        <source>same, %1</source>
        <translation>same, %1</translation>
    </message>
    <message>
        <source>no rotations were calibrated on %1 (lacuna calibrate-kv --rotations does it)</source>
        <translation>auf %1 wurden keine Rotationen kalibriert (lacuna calibrate-kv --rotations tut es)</translation>
    </message>
    <message>
        <source>auto, hadamard</source>
        <translation>auto, hadamard</translation>
    </message>
    <message>
        <source>what codes of each layer cost was not measured on %1 (lacuna calibrate-kv --layers does it)</source>
        <translation>was Codes jeder Schicht kosten, wurde auf %1 nicht gemessen (lacuna calibrate-kv --layers tut es)</translation>
    </message>
    <message>
        <source>every layer has the same</source>
        <translation>jede Schicht hat dieselben</translation>
    </message>
    <message>
        <source>%1 of %2 to %3 bits</source>
        <translation>%1 mit %2 bis %3 Bit</translation>
    </message>
    <message>
        <source>calibrated on this model</source>
        <translation>auf diesem Modell kalibriert</translation>
    </message>
    <message>
        <source>hadamard; what was calibrated cannot be used: %1</source>
        <translation>hadamard; das Kalibrierte ist nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>hadamard; nothing was calibrated on this model</source>
        <translation>hadamard; auf diesem Modell wurde nichts kalibriert</translation>
    </message>
    <message>
        <source>0, or %1 or more</source>
        <translation>0, oder %1 oder mehr</translation>
    </message>
    <message>
        <source>%1 sinks, %2 recent tokens and a prefill chunk of %3 must fit</source>
        <translation>%1 Senken, %2 neueste Token und ein Prefill-Stück von %3 müssen hineinpassen</translation>
    </message>
    <message>
        <source>a prefill chunk of %1 must fit</source>
        <translation>ein Prefill-Stück von %1 muss hineinpassen</translation>
    </message>
    <message>
        <source>0, or %1 to %2</source>
        <translation>0, oder %1 bis %2</translation>
    </message>
    <message>
        <source>the model was trained with %1 tokens</source>
        <translation>das Modell wurde mit %1 Token trainiert</translation>
    </message>
    <message>
        <source>off, or 0 to %1</source>
        <translation>aus, oder 0 bis %1</translation>
    </message>
    <message>
        <source>Cache type</source>
        <translation>Cache-Typ</translation>
    </message>
    <message>
        <source>Number format of keys and values in the cache; q8_0 and q4_0 take about half and a third of the bytes of f16 (codes in groups of 32 with scale and bias). t8 to t1 are codes of so many bits of rows that a rotation spreads, with one scale a row (arXiv 2504.19874): t4 takes a quarter, t2 an eighth. Low bits ruin some models silently: measure recall first. A cache in use is coded again between steps; what fewer bits have rounded away stays lost.</source>
        <translation>Zahlenformat der Schlüssel und Werte im Cache; q8_0 und q4_0 nehmen etwa die Hälfte und ein Drittel der Bytes von f16 (Codes in 32er-Gruppen mit Skala und Verschiebung). t8 bis t1 sind Codes von so vielen Bit für Zeilen, die eine Rotation verteilt, mit einer Skala je Zeile (arXiv 2504.19874): t4 nimmt ein Viertel, t2 ein Achtel. Wenige Bits verderben manche Modelle unbemerkt: Messen Sie zuerst den Recall. Ein Cache in Gebrauch wird zwischen Schritten umcodiert; was weniger Bits weggerundet haben, bleibt verloren.</translation>
    </message>
    <message>
        <source>Value type</source>
        <translation>Typ der Werte</translation>
    </message>
    <message>
        <source>Number format of the values where it differs from that of the keys (Cache type); same takes that one. Values bear coarser codes than keys: f16 keys with q8_0, q4_0 or t4 values, t8 keys with t4 values. Keys and values that are plain numbers have one type.</source>
        <translation>Zahlenformat der Werte, wo es von dem der Schlüssel (Cache-Typ) abweicht; same nimmt jenes. Werte vertragen gröbere Codes als Schlüssel: f16-Schlüssel mit q8_0-, q4_0- oder t4-Werten, t8-Schlüssel mit t4-Werten. Schlüssel und Werte, die einfache Zahlen sind, haben einen gemeinsamen Typ.</translation>
    </message>
    <message>
        <source>Exact window</source>
        <translation>Exaktes Fenster</translation>
    </message>
    <message>
        <source>Of a cache of rotated codes (t8 to t1): so many newest tokens, and the first ones (n_sink), keep their rows in 16 bits alongside the codes, and what asks from so near reads those (KIVI, arXiv 2402.02750, keeps 128). Takes the bytes of so many f16 tokens whatever the length of the text; 0 keeps codes alone.</source>
        <translation>Bei einem Cache aus rotierten Codes (t8 bis t1): So viele neueste Token und die ersten (n_sink) behalten neben den Codes ihre Zeilen in 16 Bit, und was von so nah fragt, liest diese (KIVI, arXiv 2402.02750, hält 128). Nimmt die Bytes so vieler f16-Token, wie lang der Text auch ist; 0 hält nur Codes.</translation>
    </message>
    <message>
        <source>neither kv_type nor v_type is one of the rotated codes t8 to t1</source>
        <translation>weder kv_type noch v_type ist einer der rotierten Codes t8 bis t1</translation>
    </message>
    <message>
        <source>codes alone</source>
        <translation>nur Codes</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Rotation</translation>
    </message>
    <message>
        <source>What turns the rows of rotated codes (t8 to t1). hadamard: random signs and a Hadamard matrix, the same for every model. calibrated: for each head from what its queries look at on a text, with the centre of its keys (arXiv 2605.17757); lacuna calibrate-kv --rotations makes them in minutes. auto is calibrated where the model has them.</source>
        <translation>Was die Zeilen rotierter Codes (t8 bis t1) dreht. hadamard: zufällige Vorzeichen und eine Hadamard-Matrix, für jedes Modell dieselbe. calibrated: für jeden Kopf aus dem, was seine Abfragen an einem Text beachten, mit dem Mittelpunkt seiner Schlüssel (arXiv 2605.17757); lacuna calibrate-kv --rotations macht sie in Minuten. auto ist calibrated, wo das Modell sie hat.</translation>
    </message>
    <message>
        <source>no row is of rotated codes (kv_type, v_type t8 to t1)</source>
        <translation>keine Zeile besteht aus rotierten Codes (kv_type, v_type t8 bis t1)</translation>
    </message>
    <message>
        <source>Extra bits</source>
        <translation>Zusätzliche Bits</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>Bit</translation>
    </message>
    <message>
        <source>Of a cache of rotated codes (t8 to t1): so many bits a number more on average, in the layers where they save this model most; keys and values of each layer have their own. What each costs is measured once (lacuna calibrate-kv --layers, minutes). 0 gives every layer the same.</source>
        <translation>Bei einem Cache aus rotierten Codes (t8 bis t1): im Mittel so viele Bits je Zahl mehr, in den Schichten, wo sie diesem Modell am meisten ersparen; Schlüssel und Werte jeder Schicht haben eigene. Was jede kostet, wird einmal gemessen (lacuna calibrate-kv --layers, Minuten). 0 gibt jeder Schicht dieselben.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Every layer forgets by age: it keeps the first tokens (n_sink) and the newest, so many in all (arXiv 2309.17453). Not together with a method or a budget.</source>
        <translation>Jede Schicht vergisst nach Alter: Sie behält die ersten Token (n_sink) und die neuesten, insgesamt so viele (arXiv 2309.17453). Nicht zusammen mit einer Methode oder einem Budget.</translation>
    </message>
    <message>
        <source>Layer caches</source>
        <translation>Caches der Schichten</translation>
    </message>
    <message>
        <source>auto lets layers that see only a window of the text keep only that window (gemma, mistral); uniform keeps every token in all layers, so that the conversation can be taken back to any point without reading it anew.</source>
        <translation>auto lässt Schichten, die nur ein Fenster des Textes sehen, nur dieses Fenster behalten (gemma, mistral); uniform behält jedes Token in allen Schichten, so dass das Gespräch an jede Stelle zurückgenommen werden kann, ohne neu gelesen zu werden.</translation>
    </message>
    <message>
        <source>no layer of the model has a window of its own</source>
        <translation>keine Schicht des Modells hat ein eigenes Fenster</translation>
    </message>
    <message>
        <source>Cache limit</source>
        <translation>Cache-Grenze</translation>
    </message>
    <message>
        <source>Memory that the caches of all conversations may fill together. A step that would pass it first compacts the largest, by the method chosen, then gives caches of idle conversations back; where that is not enough the answer ends with an error and nothing is lost. 0 is no limit.</source>
        <translation>Speicher, den die Caches aller Gespräche zusammen füllen dürfen. Ein Schritt, der darüber ginge, verdichtet zuerst den größten nach der gewählten Methode und gibt dann Caches ruhender Gespräche zurück; wo das nicht reicht, endet die Antwort mit einem Fehler, und nichts geht verloren. 0 heißt keine Grenze.</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>Memory for what was read, kept for other conversations, branches and requests that begin alike: they need not read it again. Rows that a conversation holds as well are counted and take no second copy. 0 is off.</source>
        <translation>Speicher für Gelesenes, aufbewahrt für andere Gespräche, Zweige und Anfragen mit gleichem Anfang: Sie müssen es nicht neu lesen. Zeilen, die auch ein Gespräch hält, zählen mit und brauchen keine zweite Kopie. 0 ist aus.</translation>
    </message>
    <message>
        <source>Prefix cache on disk</source>
        <translation>Präfix-Cache auf der Platte</translation>
    </message>
    <message>
        <source>Room on disk for what was read, over restarts and for all models together: a conversation that is opened again reads its rows there, where that is predicted to be faster than computing them. Whoever reads the folder can learn what was said; private questions never reach it. 0 is off and removes nothing.</source>
        <translation>Platz auf der Platte für Gelesenes, über Neustarts hinweg und für alle Modelle zusammen: Ein wieder geöffnetes Gespräch liest seine Zeilen dort, wo das voraussichtlich schneller ist als das Rechnen. Wer den Ordner liest, kann erfahren, was gesagt wurde; private Fragen gelangen nie dorthin. 0 ist aus und entfernt nichts.</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Most tokens of a conversation, prompt and answer together; 0 is the model&apos;s trained context.</source>
        <translation>Höchstzahl der Token eines Gesprächs, Prompt und Antwort zusammen; 0 ist der trainierte Kontext des Modells.</translation>
    </message>
    <message>
        <source>Context shift</source>
        <translation>Kontextverschiebung</translation>
    </message>
    <message>
        <source>When the context is full: off ends the answer; a number keeps so many first tokens, gives up half of the others and moves the newer half up, as often as needed. Not together with a method, a window or a coded kv_type.</source>
        <translation>Wenn der Kontext voll ist: aus beendet die Antwort; eine Zahl behält so viele erste Token, gibt die Hälfte der übrigen auf und rückt die neuere Hälfte nach, so oft wie nötig. Nicht zusammen mit einer Methode, einem Fenster oder einem codierten kv_type.</translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation>Prefill-Stück</translation>
    </message>
    <message>
        <source>Prompt tokens computed in one step. Settings and cancel take effect between two steps.</source>
        <translation>Prompt-Token, die in einem Schritt berechnet werden. Einstellungen und Anhalten wirken zwischen zwei Schritten.</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>Antworten zugleich</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Conversations answered side by side, one pass over the weights for all of them; further questions wait. A prompt that is being read delays the others by one chunk for each token.</source>
        <translation>Nebeneinander beantwortete Gespräche, ein Durchgang durch die Gewichte für alle; weitere Fragen warten. Ein Prompt, der gelesen wird, verzögert die anderen um ein Stück je Token.</translation>
    </message>
    <message>
        <source>Passes over the weights</source>
        <translation>Durchgänge durch die Gewichte</translation>
    </message>
    <message>
        <source>shared: one pass over the weights serves all answers of a step, and products of several rows may round differently from those of one. apart: each answer has its own pass and is bit for bit the one it would be alone, more slowly.</source>
        <translation>shared: Ein Durchgang durch die Gewichte dient allen Antworten eines Schritts, und Produkte mehrerer Zeilen können anders runden als die einer einzigen. apart: Jede Antwort hat ihren eigenen Durchgang und ist Bit für Bit die, die sie allein wäre, langsamer.</translation>
    </message>
    <message>
        <source>answers are written one at a time</source>
        <translation>Antworten werden einzeln geschrieben</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>Entwurfstoken</translation>
    </message>
    <message>
        <source>Tokens guessed from earlier text and checked in one step (prompt lookup); 0 is off. The answer stays the same; text that repeats comes faster. Beside a budget compactions come after the same tokens as without; which of two keys of equal rank goes may then differ.</source>
        <translation>Token, die aus früherem Text erraten und in einem Schritt geprüft werden (Prompt Lookup); 0 ist aus. Die Antwort bleibt dieselbe; sich wiederholender Text kommt schneller. Neben einem Budget kommen Verdichtungen nach denselben Token wie ohne; welcher von zwei gleichrangigen Schlüsseln geht, kann dann abweichen.</translation>
    </message>
    <message>
        <source>Quality sample every</source>
        <translation>Qualitätsprobe alle</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Compute threads; 0 is one for each physical core.</source>
        <translation>Rechenthreads; 0 ist einer je physischem Kern.</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>Most tokens of an answer; 0 reads the prompt and answers nothing.</source>
        <translation>Höchstzahl der Token einer Antwort; 0 liest den Prompt und antwortet nichts.</translation>
    </message>
    <message>
        <source>temperature is 0</source>
        <translation>die Temperatur ist 0</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>0 always takes the most likely token; higher values vary more.</source>
        <translation>0 nimmt immer das wahrscheinlichste Token; höhere Werte variieren mehr.</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Draws from the k most likely tokens only; 0 is off.</source>
        <translation>Zieht nur aus den k wahrscheinlichsten Token; 0 ist aus.</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Draws from the fewest tokens that together reach this probability; 1 is off (arXiv 1904.09751).</source>
        <translation>Zieht aus den wenigsten Token, die zusammen diese Wahrscheinlichkeit erreichen; 1 ist aus (arXiv 1904.09751).</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Drops tokens less likely than this share of the most likely one; 0 is off (arXiv 2407.01082).</source>
        <translation>Verwirft Token, die weniger wahrscheinlich sind als dieser Anteil des wahrscheinlichsten; 0 ist aus (arXiv 2407.01082).</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsabzug</translation>
    </message>
    <message>
        <source>Divides positive and multiplies negative logits of recent tokens; 1 is off (arXiv 1909.05858).</source>
        <translation>Teilt positive und vervielfacht negative Logits der neuesten Token; 1 ist aus (arXiv 1909.05858).</translation>
    </message>
    <message>
        <source>the penalty window is 0</source>
        <translation>das Fenster des Abzugs ist 0</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>Fenster des Abzugs</translation>
    </message>
    <message>
        <source>How many tokens the repetition penalty looks back; 0 is off.</source>
        <translation>Wie viele Token der Wiederholungsabzug zurückschaut; 0 ist aus.</translation>
    </message>
    <message>
        <source>the repetition penalty is 1</source>
        <translation>der Wiederholungsabzug ist 1</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>Anwesenheitsabzug</translation>
    </message>
    <message>
        <source>Taken off the logit of every token that the answer holds already; 0 is off. The prompt does not count.</source>
        <translation>Wird vom Logit jedes Tokens abgezogen, das die Antwort schon enthält; 0 ist aus. Der Prompt zählt nicht.</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>Häufigkeitsabzug</translation>
    </message>
    <message>
        <source>Taken off the logit of a token for each time it came in the answer; 0 is off. The prompt does not count.</source>
        <translation>Wird vom Logit eines Tokens für jedes Vorkommen in der Antwort abgezogen; 0 ist aus. Der Prompt zählt nicht.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed, settings and conversation give the same answer; off draws a seed and reports it.</source>
        <translation>Derselbe Startwert mit denselben Einstellungen und demselben Gespräch gibt dieselbe Antwort; aus zieht einen Startwert und meldet ihn.</translation>
    </message>
    <message>
        <source>or while</source>
        <translation>oder solange</translation>
    </message>
    <message>
        <source>above %1, up to %2</source>
        <translation>über %1, bis zu %2</translation>
    </message>
    <message>
        <source>off, or 0 to 18446744073709551615</source>
        <translation>aus, oder 0 bis 18446744073709551615</translation>
    </message>
    <message>
        <source>off, or %1 to %2</source>
        <translation>aus, oder %1 bis %2</translation>
    </message>
    <message>
        <source>off, or a list of %1 to %2</source>
        <translation>aus, oder eine Liste von %1 bis %2</translation>
    </message>
    <message>
        <source>%1 is &apos;%2&apos;, which is not %3; allowed is %4.</source>
        <translation>%1 ist „%2“, das ist nicht %3; erlaubt ist %4.</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>one of the choices</source>
        <translation>eine der Möglichkeiten</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3; the nearest valid value is %4.</source>
        <translation>%1 ist %2; erlaubt ist %3; der nächste gültige Wert ist %4.</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>eine Liste ganzer Zahlen</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a setting; settings are %2.</source>
        <translation>„%1“ ist keine Einstellung; Einstellungen sind %2.</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>%1=%2 is called %3 now, and is read so</source>
        <translation>%1=%2 heißt jetzt %3 und wird so gelesen</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not of the form key=value.</source>
        <translation>„%1“ hat nicht die Form Name=Wert.</translation>
    </message>
    <message>
        <source>%1 leaves %2 of %3 layers of %4 as they are: they keep a window of their own</source>
        <translation>%1 lässt %2 von %3 Schichten von %4, wie sie sind: Sie haben ein eigenes Fenster</translation>
    </message>
    <message>
        <source>auto is reconstruct: the model has a surrogate that foretells its scores</source>
        <translation>auto ist reconstruct: Das Modell hat einen Ersatz, der dessen Wertungen voraussagt</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3.</source>
        <translation>%1 ist %2; erlaubt ist %3.</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3, because %4.</source>
        <translation>%1 ist %2; erlaubt ist %3, denn %4.</translation>
    </message>
    <message>
        <source>%1 is %2; allowed is %3, because %4; the nearest valid value is %5.</source>
        <translation>%1 ist %2; erlaubt ist %3, denn %4; der nächste gültige Wert ist %5.</translation>
    </message>
    <message>
        <source>off beside %1</source>
        <translation>aus neben %1</translation>
    </message>
    <message>
        <source>weights of %1 MiB and a cache of %2 MiB pass the memory of %3 MiB</source>
        <translation>Gewichte von %1 MiB und ein Cache von %2 MiB überschreiten den Speicher von %3 MiB</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>the draft model keeps every token in a cache of its own, which no compaction makes smaller</source>
        <translation>das Entwurfsmodell hält jedes Token in einem eigenen Cache, den keine Verdichtung verkleinert</translation>
    </message>
    <message>
        <source>keys can be turned to other places only where every token is held as plain numbers</source>
        <translation>Schlüssel lassen sich nur dort an andere Stellen drehen, wo jedes Token als einfache Zahlen gehalten wird</translation>
    </message>
    <message>
        <source>both bound the memory, each by dropping other tokens</source>
        <translation>beide begrenzen den Speicher, jedes durch Verwerfen anderer Token</translation>
    </message>
    <message>
        <source>keep one of the two</source>
        <translation>behalten Sie eines von beiden</translation>
    </message>
    <message>
        <source>tokens that were merged cannot be dropped by their age any more</source>
        <translation>verschmolzene Token lassen sich nicht mehr nach ihrem Alter verwerfen</translation>
    </message>
    <message>
        <source>a cache with a window forgets by age, and nothing else is ever evicted from it</source>
        <translation>ein Cache mit Fenster vergisst nach Alter, und sonst wird nichts daraus verdrängt</translation>
    </message>
    <message>
        <source>take no draft model or remove the budget</source>
        <translation>nehmen Sie kein Entwurfsmodell oder entfernen Sie das Budget</translation>
    </message>
    <message>
        <source>take no draft model or set method to none</source>
        <translation>nehmen Sie kein Entwurfsmodell oder setzen Sie method auf none</translation>
    </message>
    <message>
        <source>sliding layers of the model</source>
        <translation>Fensterschichten des Modells</translation>
    </message>
    <message>
        <source>a layer with a window has lost the tokens that would have to be turned</source>
        <translation>eine Schicht mit Fenster hat die Token verloren, die gedreht werden müssten</translation>
    </message>
    <message>
        <source>switch the shift off or take a model without sliding layers</source>
        <translation>schalten Sie die Verschiebung aus oder nehmen Sie ein Modell ohne Fensterschichten</translation>
    </message>
    <message>
        <source>switch the shift off or take f16, bf16 or f32</source>
        <translation>schalten Sie die Verschiebung aus oder nehmen Sie f16, bf16 oder f32</translation>
    </message>
    <message>
        <source>a window needs 2 tokens or more, and more than it always keeps</source>
        <translation>ein Fenster braucht 2 Token oder mehr, und mehr als es immer behält</translation>
    </message>
    <message>
        <source>make the window larger or keep fewer first tokens</source>
        <translation>vergrößern Sie das Fenster oder behalten Sie weniger erste Token</translation>
    </message>
    <message>
        <source>%1 and %2 cannot be used together, because %3; %4.</source>
        <translation>%1 und %2 vertragen sich nicht, denn %3; %4.</translation>
    </message>
    <message>
        <source>off: no method chosen</source>
        <translation>aus: keine Methode gewählt</translation>
    </message>
    <message>
        <source>idle: no budget is set, so nothing is ever evicted</source>
        <translation>ruht: kein Budget gesetzt, nichts wird verdrängt</translation>
    </message>
    <message>
        <source>idle: an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>ruht: Ein AM-Verhältnis von 1 behält jedes Token, und kein Budget ist gesetzt</translation>
    </message>
    <message>
        <source>idle: every layer is listed in skip_layers or keeps a window of its own</source>
        <translation>ruht: Jede Schicht steht in skip_layers oder hat ein eigenes Fenster</translation>
    </message>
    <message>
        <source>nothing to gain: %1 slots, the target is %2</source>
        <translation>nichts zu gewinnen: %1 Slots, das Ziel ist %2</translation>
    </message>
    <message>
        <source>%1 slots with keys that are not finite went first</source>
        <translation>%1 Slots mit nicht endlichen Schlüsseln gingen zuerst</translation>
    </message>
    <message>
        <source>%1 heads hold different tokens since an earlier compaction and chose on their own</source>
        <translation>%1 Köpfe halten seit einer früheren Verdichtung verschiedene Token und wählten für sich</translation>
    </message>
    <message>
        <source>the text is not known here, so that none of it was demoted</source>
        <translation>der Text ist hier nicht bekannt, also wurde nichts davon abgewertet</translation>
    </message>
    <message>
        <source>judged by its queries</source>
        <translation>nach seinen Abfragen beurteilt</translation>
    </message>
    <message>
        <source>coverage divided the slots</source>
        <translation>coverage verteilte die Slots</translation>
    </message>
    <message>
        <source>task_free divided the slots</source>
        <translation>task_free verteilte die Slots</translation>
    </message>
    <message>
        <source>copy scores divided the slots</source>
        <translation>Kopierwerte verteilten die Slots</translation>
    </message>
    <message>
        <source>queries of %1 tokens were captured, at least %2 are needed: KeyDiff chose the keys and values stay as they were</source>
        <translation>Abfragen von %1 Token wurden erfasst, mindestens %2 sind nötig: KeyDiff wählte die Schlüssel, und Werte bleiben, wie sie waren</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so their copy scores divided the slots</source>
        <translation>die Köpfe des Modells sind noch nicht gemessen, also verteilten ihre Kopierwerte die Slots</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so coverage divided the slots</source>
        <translation>die Köpfe des Modells sind noch nicht gemessen, also verteilte coverage die Slots</translation>
    </message>
    <message>
        <source>the cache is as it was before</source>
        <translation>der Cache ist wie zuvor</translation>
    </message>
    <message>
        <source>it is still to be read</source>
        <translation>er ist noch zu lesen</translation>
    </message>
    <message>
        <source>another compaction was asked for</source>
        <translation>eine andere Verdichtung wurde verlangt</translation>
    </message>
    <message>
        <source>the pass for its queries was broken off; the cache is as it was before</source>
        <translation>der Durchgang für ihre Abfragen wurde abgebrochen; der Cache ist wie zuvor</translation>
    </message>
    <message>
        <source>this kind of cache has no snapshots, so it was compacted at once</source>
        <translation>diese Art Cache hat keine Schnappschüsse, also wurde sofort verdichtet</translation>
    </message>
    <message>
        <source>its text is read again first</source>
        <translation>sein Text wird zuerst neu gelesen</translation>
    </message>
    <message>
        <source>the settings were changed</source>
        <translation>die Einstellungen wurden geändert</translation>
    </message>
    <message>
        <source>the conversation went on</source>
        <translation>das Gespräch ging weiter</translation>
    </message>
    <message>
        <source>the reading of its text was broken off</source>
        <translation>das Lesen seines Textes wurde abgebrochen</translation>
    </message>
    <message>
        <source>a compaction is running in the background already</source>
        <translation>im Hintergrund läuft schon eine Verdichtung</translation>
    </message>
    <message>
        <source>the conversation went back into the tokens being compacted</source>
        <translation>das Gespräch ging in die Token zurück, die verdichtet werden</translation>
    </message>
    <message>
        <source>key norms of this model are nearly constant (spread %1 %), KeyDiff chose instead</source>
        <translation>Schlüsselnormen dieses Modells sind nahezu gleich (Streuung %1 %), KeyDiff wählte stattdessen</translation>
    </message>
    <message>
        <source>how queries of this model turn depends on the length of the text, so that those to come cannot be foretold: KeyDiff chose instead</source>
        <translation>wie Abfragen dieses Modells sich drehen, hängt von der Länge des Textes ab, so dass kommende nicht vorherzusagen sind: KeyDiff wählte stattdessen</translation>
    </message>
    <message>
        <source>queries of %1 tokens were seen, at least %2 are needed: KeyDiff chose instead</source>
        <translation>Abfragen von %1 Token wurden gesehen, mindestens %2 sind nötig: KeyDiff wählte stattdessen</translation>
    </message>
    <message>
        <source>KeyDiff chose instead</source>
        <translation>KeyDiff wählte stattdessen</translation>
    </message>
    <message>
        <source>its scores cannot be compared between layers, so every head kept the same</source>
        <translation>seine Wertungen sind zwischen Schichten nicht vergleichbar, also behielt jeder Kopf gleich viel</translation>
    </message>
    <message>
        <source>auto is %1: best recall in %2 dialogues with %3, %4</source>
        <translation>auto ist %1: bester Recall in %2 Dialogen mit %3, %4</translation>
    </message>
    <message>
        <source>auto is keydiff: %1 models normalise their keys (QK-norm), so that norms say nothing</source>
        <translation>auto ist keydiff: %1-Modelle normieren ihre Schlüssel (QK-Norm), so dass Normen nichts sagen</translation>
    </message>
    <message>
        <source>auto is keydiff: no recall was measured with a %1 model</source>
        <translation>auto ist keydiff: Mit einem %1-Modell wurde kein Recall gemessen</translation>
    </message>
    <message>
        <source>the prompt is empty; it needs at least one token</source>
        <translation>der Prompt ist leer; er braucht mindestens ein Token</translation>
    </message>
    <message>
        <source>the prompt has %1 tokens and the context has room for %2; shorten the conversation or raise the context</source>
        <translation>der Prompt hat %1 Token, und der Kontext hat Platz für %2; kürzen Sie das Gespräch oder vergrößern Sie den Kontext</translation>
    </message>
    <message>
        <source>the cache cannot take proposed tokens back (%1); set draft_tokens to 0</source>
        <translation>der Cache kann vorgeschlagene Token nicht zurücknehmen (%1); setzen Sie draft_tokens auf 0</translation>
    </message>
    <message>
        <source>the conversation has no message to answer</source>
        <translation>das Gespräch hat keine Nachricht zu beantworten</translation>
    </message>
    <message>
        <source>the prompt has %1 bytes, which are %2 tokens or more, and the context has room for %3; shorten the conversation or raise the context</source>
        <translation>der Prompt hat %1 Bytes, das sind %2 Token oder mehr, und der Kontext hat Platz für %3; kürzen Sie das Gespräch oder vergrößern Sie den Kontext</translation>
    </message>
    <message>
        <source>the whole cache would take %1 MiB for a moment, %2 MiB are left below cache_limit</source>
        <translation>der ganze Cache nähme für einen Augenblick %1 MiB, unter cache_limit sind %2 MiB übrig</translation>
    </message>
    <message>
        <source>tokens %1 to %2 are no part of this conversation, whose cache covers %3</source>
        <translation>Token %1 bis %2 gehören nicht zu diesem Gespräch, dessen Cache %3 umfasst</translation>
    </message>
    <message>
        <source>older tokens of this conversation were given up to make room in the context, so that its cache is of no text that could be read again</source>
        <translation>ältere Token dieses Gesprächs wurden aufgegeben, um im Kontext Platz zu schaffen, so dass sein Cache zu keinem Text gehört, der neu gelesen werden könnte</translation>
    </message>
    <message>
        <source>there is not enough memory for the next step of this answer</source>
        <translation>für den nächsten Schritt dieser Antwort reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>there is not enough memory for this step</source>
        <translation>für diesen Schritt reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>there is not enough memory to compact this conversation</source>
        <translation>um dieses Gespräch zu verdichten, reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>the conversation is read anew</source>
        <translation>das Gespräch wird neu gelesen</translation>
    </message>
    <message>
        <source>the prompt has nothing in common with what the cache held</source>
        <translation>der Prompt hat nichts mit dem gemeinsam, was der Cache hielt</translation>
    </message>
    <message>
        <source>window passed</source>
        <translation>Fenster überschritten</translation>
    </message>
    <message>
        <source>%1: the cache can go back %2 tokens and %3 are needed (%4), so the prompt is read anew</source>
        <translation>%1: Der Cache kann um %2 Token zurück, und %3 sind nötig (%4), also wird der Prompt neu gelesen</translation>
    </message>
    <message>
        <source>the answer begins from what is stored</source>
        <translation>die Antwort beginnt mit dem, was aufbewahrt ist</translation>
    </message>
    <message>
        <source>the threads were replaced</source>
        <translation>die Threads wurden ersetzt</translation>
    </message>
    <message>
        <source>%1 tokens more lie on disk, and reading them is predicted to take %2 ms, computing them %3</source>
        <translation>%1 weitere Token liegen auf der Platte; sie zu lesen dauert voraussichtlich %2 ms, sie zu rechnen %3</translation>
    </message>
    <message>
        <source>pages of this text on disk are damaged or gone</source>
        <translation>Seiten dieses Textes auf der Platte sind beschädigt oder weg</translation>
    </message>
    <message>
        <source>a stored text has %1 tokens in common, fewer than the %2 that are worth it</source>
        <translation>ein aufbewahrter Text hat %1 Token gemeinsam, weniger als die %2, die sich lohnen</translation>
    </message>
    <message>
        <source>a stored text has %1 tokens in common and cannot be cut back below %2: %3</source>
        <translation>ein aufbewahrter Text hat %1 Token gemeinsam und lässt sich nicht unter %2 zurückschneiden: %3</translation>
    </message>
    <message>
        <source>the limit is kept</source>
        <translation>die Grenze ist eingehalten</translation>
    </message>
    <message>
        <source>auto is %1</source>
        <translation>auto ist %1</translation>
    </message>
    <message>
        <source>auto is %1, as recorded</source>
        <translation>auto ist %1, wie verzeichnet</translation>
    </message>
    <message>
        <source>the caches reached the limit of %1</source>
        <translation>die Caches erreichten die Grenze von %1</translation>
    </message>
    <message>
        <source>The cache of a conversation nobody waits for was given back: %1.</source>
        <translation>Der Cache eines Gesprächs, auf das niemand wartet, wurde zurückgegeben: %1.</translation>
    </message>
    <message>
        <source>the caches hold %1 and the next step needs %2 more, above the limit of %3</source>
        <translation>die Caches halten %1, und der nächste Schritt braucht %2 mehr, über der Grenze von %3</translation>
    </message>
    <message>
        <source>choose a method of compaction, raise cache_limit or begin a new conversation</source>
        <translation>wählen Sie eine Verdichtungsmethode, erhöhen Sie cache_limit oder beginnen Sie ein neues Gespräch</translation>
    </message>
    <message>
        <source>compaction keeps %1 slots a head at least: raise cache_limit, lower keep_recent or begin a new conversation</source>
        <translation>Verdichtung behält mindestens %1 Slots je Kopf: Erhöhen Sie cache_limit, senken Sie keep_recent oder beginnen Sie ein neues Gespräch</translation>
    </message>
    <message>
        <source>%1 am</source>
        <translation>%1 am</translation>
    </message>
    <message>
        <source>Every token in 16 bits: what the others are measured against.</source>
        <translation>Jedes Token in 16 Bit: woran die anderen gemessen werden.</translation>
    </message>
    <message>
        <source>Keys in 8 bits, values in 4: errors of keys move the attention, those of values average out. Values in 8 bits where 4 were measured not to pass.</source>
        <translation>Schlüssel in 8 Bit, Werte in 4: Fehler der Schlüssel verschieben die Attention, die der Werte mitteln sich heraus. Werte in 8 Bit, wo 4 gemessen nicht bestanden.</translation>
    </message>
    <message>
        <source>Keys in 5 bits where they were measured to pass, else 6; values in 4. Where it was measured which layers extra bits save most: 4 bits and a quarter more, if that passes.</source>
        <translation>Schlüssel in 5 Bit, wo sie gemessen bestanden, sonst 6; Werte in 4. Wo gemessen ist, in welchen Schichten zusätzliche Bits am meisten ersparen: 4 Bit und ein Viertel mehr, wenn das besteht.</translation>
    </message>
    <message>
        <source>Long chat</source>
        <translation>Langes Gespräch</translation>
    </message>
    <message>
        <source>Safe, or 4 bits and a quarter more where Balanced has those, and once half of the context is filled the least needed tokens go.</source>
        <translation>Sicher, oder 4 Bit und ein Viertel mehr, wo Ausgewogen das hat; ist die Hälfte des Kontexts gefüllt, gehen die am wenigsten gebrauchten Token.</translation>
    </message>
    <message>
        <source>Safe, and four slots become one by attention matching; takes work in the background.</source>
        <translation>Sicher, und vier Slots werden durch Attention Matching einer; arbeitet im Hintergrund.</translation>
    </message>
    <message>
        <source>the table of formats has no %1; it has %2</source>
        <translation>die Tabelle der Formate hat kein %1; sie hat %2</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>there is not enough memory for both</source>
        <translation>für beide reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>%1 bits</source>
        <translation>%1 Bit</translation>
    </message>
    <message>
        <source>%1 keys and %2 values</source>
        <translation>%1-Schlüssel und %2-Werte</translation>
    </message>
    <message>
        <source>both take %1 until then, and cache_limit leaves %2</source>
        <translation>beide nehmen bis dahin %1, und cache_limit lässt %2</translation>
    </message>
    <message>
        <source>The cache of conversation %1 goes from %2 to %3: what was rounded away so far stays lost, and only tokens that come from now on are kept as finely as that.</source>
        <translation>Der Cache von Gespräch %1 geht von %2 auf %3: Was bisher weggerundet wurde, bleibt verloren, nur kommende Token werden so fein gehalten.</translation>
    </message>
    <message>
        <source>The cache of conversation %1 is in %2 now: %3 instead of %4. Its rows were coded again in %5 slices of %6 ms at most.</source>
        <translation>Der Cache von Gespräch %1 ist jetzt in %2: %3 statt %4. Seine Zeilen wurden in %5 Scheiben von höchstens %6 ms umcodiert.</translation>
    </message>
    <message>
        <source>The number format of the cache of conversation %1 stays as it was until its next question, which reads the text again: %2</source>
        <translation>Das Zahlenformat des Caches von Gespräch %1 bleibt bis zu seiner nächsten Frage, die den Text neu liest: %2</translation>
    </message>
    <message>
        <source>this conversation has no cache yet</source>
        <translation>dieses Gespräch hat noch keinen Cache</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>kein Modell ist geladen</translation>
    </message>
    <message>
        <source>it was broken off here</source>
        <translation>es wurde hier abgebrochen</translation>
    </message>
    <message>
        <source>there is not enough memory for it</source>
        <translation>dafür reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>an answer was asked for; its text is read again after it</source>
        <translation>eine Antwort wurde verlangt; danach wird sein Text neu gelesen</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>es wurde angehalten</translation>
    </message>
    <message>
        <source>the model was given back</source>
        <translation>das Modell wurde zurückgegeben</translation>
    </message>
    <message>
        <source>There was not enough memory for what was asked; it was not done.</source>
        <translation>Für das Verlangte reichte der Speicher nicht; es wurde nicht ausgeführt.</translation>
    </message>
    <message>
        <source>the conversation was given up</source>
        <translation>das Gespräch wurde aufgegeben</translation>
    </message>
    <message>
        <source>the engine ran out of memory and has stopped.</source>
        <translation>der Engine ging der Speicher aus, sie ist stehen geblieben.</translation>
    </message>
    <message>
        <source>something was thrown that is no error.</source>
        <translation>etwas wurde geworfen, das kein Fehler ist.</translation>
    </message>
    <message>
        <source>the cache it takes has %1 MiB, and cache_limit leaves %2</source>
        <translation>der Cache dafür hat %1 MiB, und cache_limit lässt %2</translation>
    </message>
    <message>
        <source>The measurement of the model&apos;s heads could not be kept: %1. It counts until the program ends.</source>
        <translation>Die Messung der Köpfe des Modells ließ sich nicht speichern: %1. Sie gilt, bis das Programm endet.</translation>
    </message>
    <message>
        <source>The heads of this model were not measured: %1. Attention matching divides slots by %2.</source>
        <translation>Die Köpfe dieses Modells wurden nicht gemessen: %1. Attention Matching verteilt Slots nach %2.</translation>
    </message>
    <message>
        <source>their copy scores</source>
        <translation>ihren Kopierwerten</translation>
    </message>
    <message>
        <source>for %1 answers at once</source>
        <translation>für %1 Antworten zugleich</translation>
    </message>
    <message>
        <source>with room for compactions in the background</source>
        <translation>mit Platz für Verdichtungen im Hintergrund</translation>
    </message>
    <message>
        <source>with the shadow of live quality</source>
        <translation>mit dem Schatten der laufenden Qualitätsmessung</translation>
    </message>
    <message>
        <source>with %1 MiB of prefix cache</source>
        <translation>mit %1 MiB Präfix-Cache</translation>
    </message>
    <message>
        <source>with room to read a text again for its queries</source>
        <translation>mit Platz, einen Text für seine Abfragen neu zu lesen</translation>
    </message>
    <message>
        <source>below the limit of %1 MiB</source>
        <translation>unter der Grenze von %1 MiB</translation>
    </message>
    <message>
        <source>The memory of this machine is not known.</source>
        <translation>Der Speicher dieses Rechners ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The weights need %1 MiB and %2 MiB are free: take a smaller file of this model, or close other programs.</source>
        <translation>Die Gewichte brauchen %1 MiB, und %2 MiB sind frei: Nehmen Sie eine kleinere Datei dieses Modells oder schließen Sie andere Programme.</translation>
    </message>
    <message>
        <source>The weights fit.</source>
        <translation>Die Gewichte passen.</translation>
    </message>
    <message>
        <source>The trained context of %1 tokens fits with an F16 cache%2.</source>
        <translation>Der trainierte Kontext von %1 Token passt mit einem F16-Cache%2.</translation>
    </message>
    <message>
        <source>An F16 cache has room for %1 of the %2 tokens of the trained context%3; set a token budget, a smaller context or fewer answers at once.</source>
        <translation>Ein F16-Cache hat Platz für %1 der %2 Token des trainierten Kontexts%3; setzen Sie ein Token-Budget, einen kleineren Kontext oder weniger Antworten zugleich.</translation>
    </message>
    <message>
        <source>the settings do not suit %1</source>
        <translation>die Einstellungen passen nicht zu %1</translation>
    </message>
    <message>
        <source>The system gave %1 of %2 compute threads; answers are slower.</source>
        <translation>Das System gab %1 von %2 Rechenthreads; Antworten sind langsamer.</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Loads</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>no: %1</source>
        <translation>nein: %1</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Container</source>
        <translation>Container</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>File type</source>
        <translation>Dateityp</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>Trainierter Kontext</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>not stated in the file</source>
        <translation>in der Datei nicht angegeben</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>Fingerabdruck</translation>
    </message>
    <message>
        <source>Computation</source>
        <translation>Berechnung</translation>
    </message>
    <message>
        <source>Eviction policy</source>
        <translation>Verdrängungsregel</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>%1, %2 a token, inner width %3</source>
        <translation>%1, %2 je Token, innere Breite %3</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>%1 tensors, %2</source>
        <translation>%1 Tensoren, %2</translation>
    </message>
    <message>
        <source>KV cache, bytes per token</source>
        <translation>KV-Cache, Bytes je Token</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>not usable: %1</source>
        <translation>nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Chatvorlage</translation>
    </message>
    <message>
        <source>none in the file; a built-in one is used</source>
        <translation>keine in der Datei; eine eingebaute wird benutzt</translation>
    </message>
    <message>
        <source>%1 bytes%2%3</source>
        <translation>%1 Bytes%2%3</translation>
    </message>
    <message>
        <source>%1 conversation%2</source>
        <translation>%1 Gespräch%2</translation>
    </message>
    <message>
        <source>compacted in the background (%1 % beside each)</source>
        <translation>im Hintergrund verdichtet (je %1 % daneben)</translation>
    </message>
    <message>
        <source>the shadow of live quality</source>
        <translation>der Schatten der laufenden Qualitätsmessung</translation>
    </message>
    <message>
        <source>caches of at most %1</source>
        <translation>Caches von höchstens %1</translation>
    </message>
    <message>
        <source>Memory plan for this machine</source>
        <translation>Speicherplan für diesen Rechner</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>%1 free of %2</source>
        <translation>%1 frei von %2</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>%1, copied from the file</source>
        <translation>%1, aus der Datei kopiert</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>%1 for steps of %2 tokens</source>
        <translation>%1 für Schritte von %2 Token</translation>
    </message>
    <message>
        <source>Held at once</source>
        <translation>Zugleich gehalten</translation>
    </message>
    <message>
        <source>%1 cache</source>
        <translation>%1-Cache</translation>
    </message>
    <message>
        <source>%1 at the trained context, %2 in all, %3</source>
        <translation>%1 beim trainierten Kontext, %2 insgesamt, %3</translation>
    </message>
    <message>
        <source>room for %1 tokens</source>
        <translation>Platz für %1 Token</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Anmerkungen</translation>
    </message>
    <message>
        <source>no model is loaded; load one before measuring</source>
        <translation>kein Modell ist geladen; laden Sie eines, bevor Sie messen</translation>
    </message>
    <message>
        <source>the measurement was stopped</source>
        <translation>die Messung wurde angehalten</translation>
    </message>
    <message>
        <source>the model was given up</source>
        <translation>das Modell wurde aufgegeben</translation>
    </message>
    <message>
        <source>both sides are computed with the precision that is in force; set it for all</source>
        <translation>beide Seiten werden mit der geltenden Genauigkeit berechnet; setzen Sie sie für alle</translation>
    </message>
    <message>
        <source>this conversation has no cache to estimate with</source>
        <translation>dieses Gespräch hat keinen Cache, mit dem zu schätzen wäre</translation>
    </message>
    <message>
        <source>another calibration was begun</source>
        <translation>eine andere Kalibrierung wurde begonnen</translation>
    </message>
    <message>
        <source>no model is loaded; load one before calibrating</source>
        <translation>kein Modell ist geladen; laden Sie eines, bevor Sie kalibrieren</translation>
    </message>
    <message>
        <source>the cache of a window takes %1 MiB, and cache_limit leaves %2</source>
        <translation>der Cache eines Fensters nimmt %1 MiB, und cache_limit lässt %2</translation>
    </message>
    <message>
        <source>the calibration was stopped</source>
        <translation>die Kalibrierung wurde angehalten</translation>
    </message>
    <message>
        <source>conversation %1, which has cache settings of its own</source>
        <translation>Gespräch %1, das eigene Cache-Einstellungen hat</translation>
    </message>
    <message>
        <source>It does not suit %1: %2</source>
        <translation>Es passt nicht zu %1: %2</translation>
    </message>
    <message>
        <source>The context is %1 tokens instead of %2, because the cache must fit this machine&apos;s memory.</source>
        <translation>Der Kontext hat %1 statt %2 Token, weil der Cache in den Speicher dieses Rechners passen muss.</translation>
    </message>
    <message>
        <source>The cache settings of %1 do not suit this model and were given up: %2</source>
        <translation>Die Cache-Einstellungen von %1 passen nicht zu diesem Modell und wurden aufgegeben: %2</translation>
    </message>
    <message>
        <source>an answer of this conversation is being written; wait for its end</source>
        <translation>eine Antwort dieses Gesprächs wird geschrieben; warten Sie das Ende ab</translation>
    </message>
    <message>
        <source>the cache of this conversation is not yet of the settings; ask again after its next answer</source>
        <translation>der Cache dieses Gesprächs entspricht noch nicht den Einstellungen; fragen Sie nach seiner nächsten Antwort noch einmal</translation>
    </message>
    <message>
        <source>a compaction of this conversation is going on in the background; ask again after its end</source>
        <translation>eine Verdichtung dieses Gesprächs läuft im Hintergrund; fragen Sie danach noch einmal</translation>
    </message>
    <message>
        <source>%1; only reading the text again gives these tokens back</source>
        <translation>%1; nur neues Lesen des Textes bringt diese Token zurück</translation>
    </message>
    <message>
        <source>The context of %1 tokens was full: %2 older ones were given up.</source>
        <translation>Der Kontext von %1 Token war voll: %2 ältere wurden aufgegeben.</translation>
    </message>
    <message>
        <source>the prompt has token %1; the vocabulary has 0 to %2</source>
        <translation>der Prompt hat Token %1; das Vokabular reicht von 0 bis %2</translation>
    </message>
    <message>
        <source>The answer was stopped, because the model was replaced.</source>
        <translation>Die Antwort wurde angehalten, weil das Modell ersetzt wurde.</translation>
    </message>
    <message>
        <source>there is not enough memory to begin this answer</source>
        <translation>um diese Antwort zu beginnen, reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>no model is loaded; load one before sending a message</source>
        <translation>kein Modell ist geladen; laden Sie eines, bevor Sie eine Nachricht senden</translation>
    </message>
    <message>
        <source>the cache type or window was changed, so the prompt is read anew</source>
        <translation>Cache-Typ oder Fenster wurden geändert, also wird der Prompt neu gelesen</translation>
    </message>
    <message>
        <source>the cache of this conversation was given back to make room for others</source>
        <translation>der Cache dieses Gesprächs wurde zurückgegeben, um anderen Platz zu machen</translation>
    </message>
    <message>
        <source>The draft model proposes nothing more: %1</source>
        <translation>Das Entwurfsmodell schlägt nichts mehr vor: %1</translation>
    </message>
    <message>
        <source>the answer was stopped</source>
        <translation>die Antwort wurde angehalten</translation>
    </message>
    <message>
        <source>memory ran out</source>
        <translation>der Speicher ging aus</translation>
    </message>
    <message>
        <source>there is not enough memory for this</source>
        <translation>dafür reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>cannot open %1: %2</source>
        <translation>%1 lässt sich nicht öffnen: %2</translation>
    </message>
    <message>
        <source>%1 is not a regular file (a folder, pipe or device)</source>
        <translation>%1 ist keine gewöhnliche Datei (sondern Ordner, Pipe oder Gerät)</translation>
    </message>
    <message>
        <source>cannot map %1: %2</source>
        <translation>%1 lässt sich nicht einblenden: %2</translation>
    </message>
    <message>
        <source>cannot map %1: %2 files are mapped already</source>
        <translation>%1 lässt sich nicht einblenden: %2 Dateien sind es schon</translation>
    </message>
    <message>
        <source>%1 changed on disk while it was in use; load it again</source>
        <translation>%1 änderte sich auf der Platte während der Benutzung; laden Sie es neu</translation>
    </message>
    <message>
        <source>%1 has %2 bytes; at most %3 are read</source>
        <translation>%1 hat %2 Bytes; höchstens %3 werden gelesen</translation>
    </message>
    <message>
        <source>%1 ended after %2 of %3 bytes</source>
        <translation>%1 endete nach %2 von %3 Bytes</translation>
    </message>
    <message>
        <source>cannot %1 %2: %3</source>
        <translation>%2: %1 ist gescheitert: %3</translation>
    </message>
    <message>
        <source>%1 is no regular file and is not replaced by one</source>
        <translation>%1 ist keine gewöhnliche Datei und wird durch keine ersetzt</translation>
    </message>
    <message>
        <source>sync the folder</source>
        <translation>Ordner auf die Platte bringen</translation>
    </message>
    <message>
        <source>set the mode of</source>
        <translation>Zugriffsrechte setzen</translation>
    </message>
    <message>
        <source>%1 would replace what it is made from (%2); choose another file</source>
        <translation>%1 würde ersetzen, woraus es entsteht (%2); wählen Sie eine andere Datei</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>Safe</source>
        <translation>Sicher</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Compact</source>
        <translation>Kompakt</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>stop string</source>
        <translation>Stopptext</translation>
    </message>
    <message>
        <source>length</source>
        <translation>Länge erreicht</translation>
    </message>
    <message>
        <source>context full</source>
        <translation>Kontext voll</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>Verborgene Größe</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV-Köpfe</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>Kopfgröße</translation>
    </message>
    <message>
        <source>Feed forward</source>
        <translation>Feed-Forward</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>Geteilte Einbettungen</translation>
    </message>
    <message>
        <source>QKV bias</source>
        <translation>QKV-Verschiebung</translation>
    </message>
    <message>
        <source>QK norm</source>
        <translation>QK-Norm</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>Normen</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>RMS epsilon</source>
        <translation>RMS-Epsilon</translation>
    </message>
    <message>
        <source>Layers with window</source>
        <translation>Schichten mit Fenster</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>before attention and feed-forward</source>
        <translation>vor Attention und Feed-Forward</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>%1 tokens were read from disk as %2 keeps them: close to what was computed, not bit for bit (lacuna tier codec)</source>
        <translation>%1 Token wurden so von der Platte gelesen, wie %2 sie hält: nahe am Berechneten, nicht Bit für Bit (lacuna tier codec)</translation>
    </message>
    <message>
        <source>a page on disk of this text is not used: %1</source>
        <translation>eine Seite dieses Textes auf der Platte wird nicht benutzt: %1</translation>
    </message>
    <message>
        <source>%1 of the tokens that were brought back or pinned no longer fit and are forgotten like others</source>
        <translation>%1 der zurückgeholten oder angehefteten Token passen nicht mehr und werden vergessen wie andere</translation>
    </message>
    <message>
        <source>%1 tokens that were brought back or pinned are more than compactions with these settings can keep as they are, which is %2; choose fewer, or compact less</source>
        <translation>%1 zurückgeholte oder angeheftete Token sind mehr, als Verdichtungen mit diesen Einstellungen unverändert behalten können, nämlich %2; wählen Sie weniger, oder verdichten Sie weniger</translation>
    </message>
    <message>
        <source>message %1 is pinned; the conversation has %2</source>
        <translation>Nachricht %1 ist angeheftet; das Gespräch hat %2</translation>
    </message>
    <message>
        <source>bytes %1 to %2 of message %3 are pinned; it has %4</source>
        <translation>Bytes %1 bis %2 von Nachricht %3 sind angeheftet; sie hat %4</translation>
    </message>
    <message>
        <source>the tokenizer of this model changes the text it reads, so that token %1 cannot be found in it; words cannot be pinned</source>
        <translation>der Tokenizer dieses Modells verändert den Text, den er liest, so dass Token %1 darin nicht zu finden ist; Wörter können nicht angeheftet werden</translation>
    </message>
    <message>
        <source>other words are pinned now</source>
        <translation>jetzt sind andere Wörter angeheftet</translation>
    </message>
    <message>
        <source>prefix_cache and prefix_disk are 0</source>
        <translation>prefix_cache und prefix_disk sind 0</translation>
    </message>
    <message>
        <source>Bring back for questions</source>
        <translation>Für Fragen zurückholen</translation>
    </message>
    <message>
        <source>Before an answer, the question is read over the whole text as well, where it is still kept (prefix_cache, prefix_disk), to see which forgotten tokens it looks for. ask names them; auto brings them back, at most within what compactions may keep. Costs a second reading of the question and of the answer before it, and a compaction where something comes back.</source>
        <translation>Vor einer Antwort wird die Frage auch über dem ganzen Text gelesen, wo er noch aufgehoben ist (prefix_cache, prefix_disk), um zu sehen, welche vergessenen Token sie sucht. ask nennt sie; auto holt sie zurück, höchstens so viele, wie Verdichtungen behalten dürfen. Kostet ein zweites Lesen der Frage und der Antwort davor, und eine Verdichtung, wo etwas zurückkommt.</translation>
    </message>
    <message>
        <source>no tokens were named to bring back</source>
        <translation>es wurden keine Token zum Zurückholen genannt</translation>
    </message>
    <message>
        <source>what is stored of its prompt is being read</source>
        <translation>was von seinem Prompt aufgehoben ist, wird gerade gelesen</translation>
    </message>
    <message>
        <source>older tokens of this conversation were given up to make room in the context</source>
        <translation>ältere Token dieses Gesprächs wurden aufgegeben, um im Kontext Platz zu machen</translation>
    </message>
    <message>
        <source>compactions with these settings read the whole text again, which takes too long between a question and its answer</source>
        <translation>Verdichtungen mit diesen Einstellungen lesen den ganzen Text noch einmal, was zwischen einer Frage und ihrer Antwort zu lange dauert</translation>
    </message>
    <message>
        <source>%1 tokens would be read again for it, in about %2 s; allowed between a question and its answer are %3 tokens and %4 s</source>
        <translation>%1 Token würden dafür noch einmal gelesen, in etwa %2 s; zwischen einer Frage und ihrer Antwort erlaubt sind %3 Token und %4 s</translation>
    </message>
    <message>
        <source>nothing is kept of a private conversation</source>
        <translation>von einem privaten Gespräch wird nichts aufgehoben</translation>
    </message>
    <message>
        <source>no start of this text is kept as it was before it was compacted</source>
        <translation>kein Anfang dieses Textes ist so aufgehoben, wie er vor der Verdichtung war</translation>
    </message>
    <message>
        <source>no folder was named for what is kept on disk</source>
        <translation>für das, was auf der Platte aufgehoben wird, wurde kein Ordner genannt</translation>
    </message>
    <message>
        <source>no folder was named for it</source>
        <translation>dafür wurde kein Ordner genannt</translation>
    </message>
    <message>
        <source>How closely rows are kept on disk stays as it was: %1.</source>
        <translation>Wie genau Zeilen auf der Platte gehalten werden, bleibt, wie es war: %1.</translation>
    </message>
    <message>
        <source>Nothing is kept on disk for other conversations now: %1.</source>
        <translation>Auf der Platte wird jetzt nichts für andere Gespräche aufgehoben: %1.</translation>
    </message>
    <message>
        <source>the cache was given back</source>
        <translation>der Cache wurde zurückgegeben</translation>
    </message>
    <message>
        <source>The cache of conversation %1 stays in %2: coding it again as %3 was cancelled at %4 % of its rows, and nothing of it has changed.</source>
        <translation>Der Cache von Gespräch %1 bleibt in %2: Das Umcodieren in %3 wurde bei %4 % seiner Zeilen abgebrochen, und nichts an ihm hat sich geändert.</translation>
    </message>
    <message>
        <source>it was cancelled, and nothing of it has changed</source>
        <translation>es wurde abgebrochen, und nichts an ihm hat sich geändert</translation>
    </message>
    <message>
        <source>another cache took the place of this one</source>
        <translation>ein anderer Cache trat an seine Stelle</translation>
    </message>
    <message>
        <source>the newest %1 tokens are read for what their queries look at</source>
        <translation>die neuesten %1 Token werden gelesen, weil zählt, was ihre Abfragen beachten</translation>
    </message>
    <message>
        <source>the surrogate has seen %1 of %2 tokens, and they were not read again</source>
        <translation>der Ersatz hat %1 von %2 Token gesehen, und sie wurden nicht noch einmal gelesen</translation>
    </message>
    <message>
        <source>scores foretold by the surrogate</source>
        <translation>Wertungen vom Ersatz vorausgesagt</translation>
    </message>
    <message>
        <source>The cache of conversation %1 was coded again already when that was to be cancelled.</source>
        <translation>Der Cache von Gespräch %1 war schon umcodiert, als das abgebrochen werden sollte.</translation>
    </message>
    <message>
        <source>judged by the queries of the newest turn</source>
        <translation>beurteilt nach den Abfragen der neuesten Runde</translation>
    </message>
    <message>
        <source>the newest turn asked queries of %1 tokens, at least %2 are needed: those before it count as well</source>
        <translation>die neueste Runde stellte Abfragen von %1 Token, mindestens %2 sind nötig: die davor zählen mit</translation>
    </message>
    <message>
        <source>no forward pass can be made now</source>
        <translation>jetzt ist kein Vorwärtsdurchlauf möglich</translation>
    </message>
    <message>
        <source>%1 tokens came of it, at least %2 are needed</source>
        <translation>%1 Token kamen dabei heraus, mindestens %2 sind nötig</translation>
    </message>
    <message>
        <source>scores foretold by the surrogate, which read %1 tokens again</source>
        <translation>Wertungen vom Ersatz vorausgesagt, der %1 Token noch einmal las</translation>
    </message>
    <message>
        <source>there are no scores of a repetition of the text: %1</source>
        <translation>es gibt keine Wertungen einer Wiederholung des Textes: %1</translation>
    </message>
    <message>
        <source>there are no scores of a repetition of the text: none were gathered</source>
        <translation>es gibt keine Wertungen einer Wiederholung des Textes: Es wurden keine gesammelt</translation>
    </message>
    <message>
        <source>judged by random queries</source>
        <translation>beurteilt nach zufälligen Abfragen</translation>
    </message>
    <message>
        <source>queries of %1 of %2 tokens were captured</source>
        <translation>Abfragen von %1 von %2 Token wurden gesammelt</translation>
    </message>
    <message>
        <source>eviction goes down to a budget</source>
        <translation>das Verdrängen geht bis auf ein Budget</translation>
    </message>
    <message>
        <source>am %1x</source>
        <translation>am %1-fach</translation>
    </message>
    <message>
        <source>the comparison was stopped</source>
        <translation>der Vergleich wurde angehalten</translation>
    </message>
    <message>
        <source>nothing was evicted, merged or coded</source>
        <translation>nichts wurde verdrängt, verschmolzen oder codiert</translation>
    </message>
    <message>
        <source>the answer ended before a token was drawn after the eviction</source>
        <translation>die Antwort endete, bevor nach der Verdrängung ein Token gezogen wurde</translation>
    </message>
    <message>
        <source>the running text of RULER has no words</source>
        <translation>der laufende Text von RULER hat keine Wörter</translation>
    </message>
    <message>
        <source>nothing that is measured fits into the context of %1 tokens</source>
        <translation>nichts von dem, was gemessen wird, passt in den Kontext von %1 Token</translation>
    </message>
    <message>
        <source>compacted before the question</source>
        <translation>vor der Frage verdichtet</translation>
    </message>
    <message>
        <source>%1 dialogues of up to %2 tokens</source>
        <translation>%1 Dialoge mit bis zu %2 Token</translation>
    </message>
    <message>
        <source>RULER at %1 tokens, %2 questions</source>
        <translation>RULER mit %1 Token, %2 Fragen</translation>
    </message>
    <message>
        <source>%1 windows of running text, %2 tokens followed after %3</source>
        <translation>%1 Fenster laufenden Textes, %2 Token nach je %3</translation>
    </message>
    <message>
        <source>speed of %1 tokens after %2, median of %3 rounds in turn with the whole cache</source>
        <translation>Tempo von %1 Token nach %2, Median aus %3 Runden im Wechsel mit dem ganzen Cache</translation>
    </message>
    <message>
        <source>%1 of its tasks need a longer text</source>
        <translation>%1 seiner Aufgaben brauchen einen längeren Text</translation>
    </message>
    <message>
        <source>%1 texts pass the model&apos;s context</source>
        <translation>%1 Texte sind länger als der Kontext des Modells</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>GGUF version %1</source>
        <translation>GGUF, Version %1</translation>
    </message>
    <message>
        <source>base %1</source>
        <translation>Basis %1</translation>
    </message>
    <message>
        <source>dimensions %1</source>
        <translation>Dimensionen %1</translation>
    </message>
    <message>
        <source>pairs interleaved</source>
        <translation>Paare verschränkt</translation>
    </message>
    <message>
        <source>pairs halves</source>
        <translation>Paare aus Hälften</translation>
    </message>
    <message>
        <source>scaling none</source>
        <translation>ohne Skalierung</translation>
    </message>
    <message>
        <source>int8 in two terms</source>
        <translation>int8 in zwei Summanden</translation>
    </message>
    <message>
        <source>mean KL %1 from exact over %2 tokens</source>
        <translation>mittlere KL %1 zu exakt über %2 Token</translation>
    </message>
    <message>
        <source>%1 in two terms: mean KL %2 from exact over %3 tokens</source>
        <translation>%1 in zwei Summanden: mittlere KL %2 zu exakt über %3 Token</translation>
    </message>
    <message>
        <source>%1: mean KL %2 from exact over %3 tokens</source>
        <translation>%1: mittlere KL %2 zu exakt über %3 Token</translation>
    </message>
    <message>
        <source>int8 %1, above %2</source>
        <translation>int8 %1, über %2</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>So far none of %1 formats has a mean KL below %2: keep 16 bits.</source>
        <translation>Bisher liegt von %1 Formaten keines mit der mittleren KL unter %2: bei 16 Bit bleiben.</translation>
    </message>
    <message>
        <source>None of %1 formats has a mean KL below %2: keep 16 bits.</source>
        <translation>Von %1 Formaten liegt keines mit der mittleren KL unter %2: bei 16 Bit bleiben.</translation>
    </message>
    <message>
        <source>So far %1 is the smallest that passes: mean KL %2, below %3; %4 of %5 formats pass.</source>
        <translation>Bisher ist %1 das kleinste, das besteht: mittlere KL %2, unter %3; %4 von %5 Formaten bestehen.</translation>
    </message>
    <message>
        <source>%1 is the smallest that passes: mean KL %2, below %3; %4 of %5 formats pass.</source>
        <translation>%1 ist das kleinste, das besteht: mittlere KL %2, unter %3; %4 von %5 Formaten bestehen.</translation>
    </message>
    <message>
        <source>How the cache is made smaller: none, l2 (eviction by key norm, arXiv 2406.11430; without a budget it takes one of 1024) or am (attention matching, arXiv 2602.16284).</source>
        <translation>Wie der Cache kleiner wird: none, l2 (Verdrängung nach Schlüsselnorm, arXiv 2406.11430; ohne Budget gilt eines von 1024) oder am (Attention Matching, arXiv 2602.16284).</translation>
    </message>
    <message>
        <source>Attention matching keeps tokens / ratio slots per head on average (arXiv 2602.16284), sinks and recent tokens included. An unanswered question stays as it is, on top of that. Where protected tokens leave fewer than 16 other slots, the largest ratio that is possible is used and shown.</source>
        <translation>Attention Matching behält im Mittel Token / Verhältnis Slots je Kopf (arXiv 2602.16284), Senken und neueste Token eingerechnet. Eine unbeantwortete Frage bleibt zusätzlich, wie sie ist. Wo geschützte Token weniger als 16 andere Slots lassen, wird das größte mögliche Verhältnis verwendet und angezeigt.</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches.</source>
        <translation>Die neuesten Token, die keine Verdichtung anrührt.</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches (attention sinks, arXiv 2309.17453). A new cache of rotated codes keeps so many in 16 bits too.</source>
        <translation>Die ersten Token, die keine Verdichtung anrührt (Attention-Senken, arXiv 2309.17453). Ein neuer Cache aus rotierten Codes behält ebenso viele in 16 Bit.</translation>
    </message>
    <message>
        <source>Compact from</source>
        <translation>Verdichten ab</translation>
    </message>
    <message>
        <source>A conversation of fewer tokens is not compacted: there is little to gain, and its answers suffer. Only the cache limit compacts it all the same. 0 compacts any conversation.</source>
        <translation>Ein Gespräch mit weniger Token wird nicht verdichtet: Es ist wenig zu gewinnen, und seine Antworten leiden. Nur die Cache-Grenze verdichtet es trotzdem. 0 verdichtet jedes Gespräch.</translation>
    </message>
    <message>
        <source>any length</source>
        <translation>jede Länge</translation>
    </message>
    <message>
        <source>a page of %1 tokens must fit beside the index</source>
        <translation>eine Seite von %1 Token muss neben den Index passen</translation>
    </message>
    <message>
        <source>How activations meet quantised weights. fast rounds them to 8 bits, which a small model does not always bear; exact leaves them as they are and is many times slower. auto takes the fastest of them and of 8 bits in two terms that moves what the model predicts by a mean KL of at most 0.0005. The window and the server measure that once for each model while they are idle; until then, and in commands for a model that was not measured, it is 8 bits in two terms, which every model bears. Counts from the next answer on; what the cache holds stays.</source>
        <translation>Wie Aktivierungen auf quantisierte Gewichte treffen. fast rundet sie auf 8 Bit, was ein kleines Modell nicht immer verträgt; exact lässt sie, wie sie sind, und ist um ein Vielfaches langsamer. auto nimmt das Schnellste von diesen und von 8 Bit in zwei Termen, das die Vorhersagen des Modells im Mittel um höchstens KL 0.0005 verschiebt. Fenster und Server messen das einmal je Modell im Leerlauf; bis dahin, und in Befehlen für ein nicht gemessenes Modell, sind es 8 Bit in zwei Termen, die jedes Modell verträgt. Gilt ab der nächsten Antwort; was der Cache hält, bleibt.</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, no compaction in sight at this ratio</source>
        <translation>wartet: %1 Slots je Kopf, bei diesem Verhältnis keine Verdichtung in Sicht</translation>
    </message>
    <message>
        <source>%1x of the %2x asked, because %3 tokens are protected</source>
        <translation>%1x statt der verlangten %2x, weil %3 Token geschützt sind</translation>
    </message>
    <message>
        <source>this conversation has %1 tokens, and below %2 it is not compacted</source>
        <translation>dieses Gespräch hat %1 Token und wird unter %2 nicht verdichtet</translation>
    </message>
    <message>
        <source>idle: %1 of %2 tokens, below which a conversation is not compacted</source>
        <translation>wartet: %1 von %2 Token, unter denen ein Gespräch nicht verdichtet wird</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the end of the next turn decides on a compaction</source>
        <translation>wartet: %1 Slots je Kopf, das Ende der nächsten Runde entscheidet über eine Verdichtung</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the first turn stays whole until the next one has ended</source>
        <translation>wartet: %1 Slots je Kopf, die erste Runde bleibt ganz, bis die nächste beendet ist</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, waits for the end of this turn to compact the %2 tokens before it</source>
        <translation>wartet: %1 Slots je Kopf, verdichtet am Ende dieser Runde die %2 Token davor</translation>
    </message>
    <message>
        <source>What was measured of the precision of %1 cannot be used: %2.</source>
        <translation>Was zur Genauigkeit von %1 gemessen wurde, ist nicht verwendbar: %2.</translation>
    </message>
    <message>
        <source>auto is int8 in two terms, which every model bears, until it is measured</source>
        <translation>auto ist int8 in zwei Termen, die jedes Modell verträgt, bis gemessen ist</translation>
    </message>
    <message>
        <source>the question could not be left as it is</source>
        <translation>die Frage konnte nicht bleiben, wie sie ist</translation>
    </message>
    <message>
        <source>any other policy</source>
        <translation>jedes andere Verfahren</translation>
    </message>
    <message>
        <source>the rotary angles of %1 follow the length of the text, so that queries to come cannot be foretold</source>
        <translation>die Drehwinkel von %1 hängen von der Textlänge ab, daher lassen sich künftige Anfragen nicht vorhersagen</translation>
    </message>
    <message>
        <source>Limit on the loss</source>
        <translation>Verlustgrenze</translation>
    </message>
    <message>
        <source>What a compaction may lose, measured before it is carried out: the model repeats its text with the full and with the compacted cache. Where the asked ratio loses more, the largest ratio that keeps the limit is used, or none, and the compaction says so. balanced and strict are to keep 98 and 99.5 % of the answers; a number is the least share of the text&apos;s information, 0 to 1. A compaction that is due waits for the end of the answer. off carries out what is asked. The cache limit does not wait.</source>
        <translation>Was eine Verdichtung verlieren darf, gemessen, bevor sie ausgeführt wird: Das Modell wiederholt seinen Text mit vollem und mit verdichtetem Cache. Verliert das verlangte Verhältnis mehr, gilt das größte, das die Grenze einhält, oder keines, und die Verdichtung sagt es. balanced und strict sollen 98 und 99.5 % der Antworten erhalten; eine Zahl ist der kleinste Anteil der Information des Textes, 0 bis 1. Eine fällige Verdichtung wartet auf das Ende der Antwort. off führt aus, was verlangt ist. Die Cache-Grenze wartet nicht.</translation>
    </message>
    <message>
        <source>Which keys an l2 eviction keeps: low norms (arXiv 2406.11430), high norms, those least like the others (KeyDiff, arXiv 2504.15364), those that the newest 64 queries look at (observation_window, SnapKV, arXiv 2404.14469) or all queries looked at (accumulated_attention, H2O, arXiv 2306.14048; reads the cache twice for every token), those that a repetition of the text looks at (reconstruct, KVzip, arXiv 2505.23416; up to three readings, see background, and where there is no room for them KeyDiff chooses and the compaction says so) or that queries to come are expected to look at (expected_attention, arXiv 2510.00636; tri_attention, arXiv 2604.04921, by the distance to a key and the centres of the model&apos;s queries, for long answers; lacuna calibrate-kv --query-centres calibrates them, else those of the conversation count), or the controls recent_only and random. auto is reconstruct, foretold where the model has a surrogate and by a repetition in pauses until then; where neither is to be had, as in the middle of an answer, what recall was best with for the family of the model.</source>
        <translation>Welche Schlüssel eine l2-Verdrängung behält: kleine Normen (arXiv 2406.11430), große Normen, die den anderen unähnlichsten (KeyDiff, arXiv 2504.15364), die die neuesten 64 Anfragen ansehen (observation_window, SnapKV, arXiv 2404.14469) oder die alle Anfragen ansahen (accumulated_attention, H2O, arXiv 2306.14048; liest den Cache für jeden Token zweimal), die eine Wiederholung des Textes ansieht (reconstruct, KVzip, arXiv 2505.23416; bis zu drei Lesungen, siehe background, und wo dafür kein Platz ist, wählt KeyDiff und die Verdichtung sagt es) oder die künftige Anfragen voraussichtlich ansehen (expected_attention, arXiv 2510.00636; tri_attention, arXiv 2604.04921, nach dem Abstand zum Schlüssel und den Zentren der Anfragen des Modells, für lange Antworten; lacuna calibrate-kv --query-centres kalibriert sie, sonst zählen die des Gesprächs), oder die Vergleiche recent_only und random. auto ist reconstruct, vorhergesagt, wo das Modell ein Surrogat hat, bis dahin durch eine Wiederholung in Pausen; wo es beides nicht gibt, wie mitten in einer Antwort, das, womit bei der Modellfamilie am meisten erinnert wurde.</translation>
    </message>
    <message>
        <source>Who gets the slots of an am compaction: all heads the same, those that look widely, those whose error falls most, or those that fetch what stands far back, measured once per model: task_free on random tokens read twice, questions (a bench option) with questions about texts; or, by text, those that a repetition of it looks at most, halfway to task_free where the model was measured so (reconstruction, up to three readings, see background). auto is reconstruction, foretold where the model has a surrogate and by a repetition in pauses until then; where neither is to be had, as in the middle of an answer, task_free where the model was measured so, else coverage.</source>
        <translation>Wer die Slots einer am-Verdichtung bekommt: alle Köpfe gleich viele, die breit blickenden, die mit der größten Fehlersenkung, oder die, die weit Zurückliegendes holen, einmal je Modell gemessen: task_free an zufälligen, zweimal gelesenen Token, questions (eine Messoption) mit Fragen zu Texten; oder je Text die, die eine Wiederholung am meisten ansieht, auf halbem Weg zu task_free, wo das Modell so gemessen wurde (reconstruction, bis zu drei Lesungen, siehe background). auto ist reconstruction, vorhergesagt, wo das Modell ein Surrogat hat, bis dahin durch eine Wiederholung in Pausen; wo es beides nicht gibt, wie mitten in einer Antwort, task_free, wo so gemessen wurde, sonst coverage.</translation>
    </message>
    <message>
        <source>Where norm_policy=reconstruct and head_budgets=reconstruction have their scores. repetition: the text is repeated, up to three readings, see background. surrogate: one linear map a layer, fitted once to the model (by itself while the engine is idle, or by lacuna calibrate-kv --surrogate), foretells them while the text is read, and nothing waits. auto is surrogate where the model has one.</source>
        <translation>Woher norm_policy=reconstruct und head_budgets=reconstruction ihre Werte haben. repetition: Der Text wird wiederholt, bis zu drei Lesungen, siehe background. surrogate: eine lineare Abbildung je Schicht, einmal an das Modell angepasst (automatisch im Leerlauf oder durch lacuna calibrate-kv --surrogate), sagt sie beim Lesen voraus, und nichts wartet. auto ist surrogate, wo das Modell eines hat.</translation>
    </message>
    <message>
        <source>%1, or a number from %2 to %3</source>
        <translation>%1 oder eine Zahl von %2 bis %3</translation>
    </message>
    <message>
        <source>auto is reconstruct by a repetition of the text, in pauses, until a surrogate is fitted to the model; in the middle of an answer %1 chooses</source>
        <translation>auto ist reconstruct durch eine Wiederholung des Textes in Pausen, bis dem Modell ein Surrogat angepasst ist; mitten in einer Antwort wählt %1</translation>
    </message>
    <message>
        <source>the cache limit does not wait for loss_limit</source>
        <translation>die Cache-Grenze wartet nicht auf loss_limit</translation>
    </message>
    <message>
        <source>the measuring of its loss was cancelled</source>
        <translation>die Messung ihres Verlusts wurde abgebrochen</translation>
    </message>
    <message>
        <source>its loss could not be measured: %1</source>
        <translation>ihr Verlust konnte nicht gemessen werden: %1</translation>
    </message>
    <message>
        <source>its loss is measured first</source>
        <translation>zuerst wird ihr Verlust gemessen</translation>
    </message>
    <message>
        <source>its loss is measured first, when this answer has ended; it follows then</source>
        <translation>zuerst wird ihr Verlust gemessen, wenn diese Antwort beendet ist; sie folgt dann</translation>
    </message>
    <message>
        <source>the model&apos;s query centres are not calibrated, so those of this conversation were used</source>
        <translation>die Zentren der Anfragen des Modells sind nicht kalibriert, daher galten die dieses Gesprächs</translation>
    </message>
    <message>
        <source>an answer was asked for; its loss is measured after it</source>
        <translation>eine Antwort wurde verlangt; ihr Verlust wird danach gemessen</translation>
    </message>
    <message>
        <source>another comparison was begun</source>
        <translation>ein anderer Vergleich wurde begonnen</translation>
    </message>
    <message>
        <source>the number of threads was changed meanwhile, so the two sides could not be compared; compare again</source>
        <translation>die Zahl der Threads wurde währenddessen geändert, daher konnten die beiden Seiten nicht verglichen werden; bitte neu vergleichen</translation>
    </message>
    <message>
        <source>the model was unloaded</source>
        <translation>das Modell wurde entladen</translation>
    </message>
    <message>
        <source>another sweep was begun</source>
        <translation>eine andere Reihe wurde begonnen</translation>
    </message>
    <message>
        <source>there are no settings to try</source>
        <translation>es gibt keine Einstellungen zu probieren</translation>
    </message>
    <message>
        <source>the sweep was stopped</source>
        <translation>die Reihe wurde angehalten</translation>
    </message>
    <message>
        <source>no method is chosen</source>
        <translation>keine Methode gewählt</translation>
    </message>
    <message>
        <source>no budget is set, so nothing is ever evicted</source>
        <translation>kein Budget gesetzt, nichts wird verdrängt</translation>
    </message>
    <message>
        <source>an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>ein AM-Verhältnis von 1 behält jedes Token, und kein Budget ist gesetzt</translation>
    </message>
    <message>
        <source>no head has more slots than the target</source>
        <translation>kein Kopf hat mehr Slots als das Ziel</translation>
    </message>
    <message>
        <source>no ratio keeps loss_limit=%1: already at %2x only %3 % of the text&apos;s information would be kept, and %4 % of the weakest passage; the cache stays as it is</source>
        <translation>kein Verhältnis hält loss_limit=%1 ein: Schon bei %2x blieben nur %3 % der Information des Textes und %4 % der schwächsten Stelle; der Cache bleibt, wie er ist</translation>
    </message>
    <message>
        <source>%1x of the %2x asked: at more the text would lose more than loss_limit=%3 allows</source>
        <translation>%1x statt der verlangten %2x: Bei mehr verlöre der Text mehr, als loss_limit=%3 erlaubt</translation>
    </message>
    <message>
        <source>judged by the queries of the text, read again, %1 tokens of it</source>
        <translation>beurteilt nach den Abfragen des noch einmal gelesenen Textes, %1 Token davon</translation>
    </message>
    <message>
        <source>judged by the queries of a repetition of the text, %1 tokens of it</source>
        <translation>beurteilt nach den Abfragen einer Wiederholung des Textes, %1 Token davon</translation>
    </message>
    <message>
        <source>there are no queries of the text, read again: %1</source>
        <translation>es gibt keine Abfragen des noch einmal gelesenen Textes: %1</translation>
    </message>
    <message>
        <source>there are no queries of a repetition of the text: %1</source>
        <translation>es gibt keine Abfragen einer Wiederholung des Textes: %1</translation>
    </message>
    <message>
        <source>scored by a repetition of the text, %1 tokens in %2 pieces</source>
        <translation>bewertet durch eine Wiederholung des Textes, %1 Token in %2 Stücken</translation>
    </message>
    <message>
        <source>the surrogate has seen %1 of %2 tokens, and they were not read again: %3</source>
        <translation>der Ersatz hat %1 von %2 Token gesehen, und sie wurden nicht noch einmal gelesen: %3</translation>
    </message>
    <message>
        <source>idle: %1 of %2 slots per head; compaction starts after %3 more tokens</source>
        <translation>wartet: %1 von %2 Slots je Kopf; Verdichtung beginnt nach %3 weiteren Token</translation>
    </message>
    <message>
        <source>due: %1 slots per head, compacting to %2</source>
        <translation>fällig: %1 Slots je Kopf, Verdichtung auf %2</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its loss is measured first, when this answer has ended</source>
        <translation>fällig: %1 Slots je Kopf, zuerst wird der Verlust gemessen, wenn diese Antwort beendet ist</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its loss is measured first, when the next answer has ended</source>
        <translation>fällig: %1 Slots je Kopf, zuerst wird der Verlust gemessen, wenn die nächste Antwort beendet ist</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its text is read again first, when this answer has ended</source>
        <translation>fällig: %1 Slots je Kopf, zuerst wird der Text noch einmal gelesen, wenn diese Antwort beendet ist</translation>
    </message>
    <message>
        <source>due: %1 slots per head, its text is read again first, when the next answer has ended</source>
        <translation>fällig: %1 Slots je Kopf, zuerst wird der Text noch einmal gelesen, wenn die nächste Antwort beendet ist</translation>
    </message>
    <message>
        <source>compacting in the background, %1 %</source>
        <translation>verdichtet im Hintergrund, %1 %</translation>
    </message>
    <message>
        <source>reading the text again, %1 %</source>
        <translation>liest den Text noch einmal, %1 %</translation>
    </message>
    <message>
        <source>measuring the loss, %1 %</source>
        <translation>misst den Verlust, %1 %</translation>
    </message>
    <message>
        <source>scored by a repetition of the text, %1 tokens in one piece</source>
        <translation>bewertet durch eine Wiederholung des Textes, %1 Token in einem Stück</translation>
    </message>
    <message>
        <source>idle: %1 of %2 slots per head; compaction starts after 1 more token</source>
        <translation>wartet: %1 von %2 Slots je Kopf; Verdichtung beginnt nach einem weiteren Token</translation>
    </message>
    <message>
        <source>the text is not in the cache any more</source>
        <translation>der Text ist nicht mehr im Cache</translation>
    </message>
    <message>
        <source>%1: the folder cannot be made: %2</source>
        <translation>%1: Der Ordner lässt sich nicht anlegen: %2</translation>
    </message>
    <message>
        <source>the cache was measured as it is</source>
        <translation>der Cache wurde gemessen, wie er ist</translation>
    </message>
    <message>
        <source>its number format alone loses more than loss_limit=%1 allows; more bits for keys and values keep more</source>
        <translation>sein Zahlenformat allein verliert mehr, als loss_limit=%1 erlaubt; mehr Bits für Schlüssel und Werte erhalten mehr</translation>
    </message>
    <message>
        <source>queries of %1 are normed once they are rotated, so that those to come cannot be foretold</source>
        <translation>Abfragen von %1 werden nach der Drehung normiert, sodass sich künftige nicht vorhersagen lassen</translation>
    </message>
    <message>
        <source>Every so many tokens of an answer the compacted cache is compared with an uncompressed one, which takes time and its memory. 0 compares a few tokens of an answer in the pause after it.</source>
        <translation>Alle so viele Token einer Antwort wird der verdichtete Cache mit einem unkomprimierten verglichen, was Zeit und dessen Speicher kostet. 0 vergleicht einige Token einer Antwort in der Pause danach.</translation>
    </message>
</context>
<context>
    <name>EngineReplies</name>
    <message>
        <source>the list of models is not JSON.</source>
        <translation>die Liste der Modelle ist kein JSON.</translation>
    </message>
    <message>
        <source>there is no list of models in it.</source>
        <translation>sie enthält keine Liste von Modellen.</translation>
    </message>
    <message>
        <source>the slots are no list.</source>
        <translation>die Slots sind keine Liste.</translation>
    </message>
    <message>
        <source>Build %1</source>
        <translation>Build %1</translation>
    </message>
    <message>
        <source>Model file %1</source>
        <translation>Modelldatei %1</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 Slots</translation>
    </message>
    <message>
        <source>Context of %1 tokens</source>
        <translation>Kontext von %1 Token</translation>
    </message>
    <message>
        <source>Empty the prefix cache</source>
        <translation>Präfix-Cache leeren</translation>
    </message>
    <message>
        <source>Prompts that were read are forgotten; the next ones are read whole.</source>
        <translation>Gelesene Prompts werden vergessen; die nächsten werden ganz gelesen.</translation>
    </message>
    <message>
        <source>vLLM has this only where it was started with VLLM_SERVER_DEV_MODE=1 (and, to sleep, --enable-sleep-mode).</source>
        <translation>vLLM hat das nur, wenn es mit VLLM_SERVER_DEV_MODE=1 gestartet wurde (und zum Schlafen mit --enable-sleep-mode).</translation>
    </message>
    <message>
        <source>Send to sleep</source>
        <translation>Schlafen legen</translation>
    </message>
    <message>
        <source>Weights go to the memory of the machine and the cache is given up; nothing is answered until it is woken.</source>
        <translation>Gewichte wandern in den Arbeitsspeicher, der Cache wird aufgegeben; bis zum Wecken wird nichts beantwortet.</translation>
    </message>
    <message>
        <source>Wake up</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>Weights come back; answers go on.</source>
        <translation>Gewichte kommen zurück; es wird wieder geantwortet.</translation>
    </message>
    <message>
        <source>SGLang gives memory back only where it was started with --enable-memory-saver.</source>
        <translation>SGLang gibt Speicher nur zurück, wenn es mit --enable-memory-saver gestartet wurde.</translation>
    </message>
    <message>
        <source>Give memory back</source>
        <translation>Speicher zurückgeben</translation>
    </message>
    <message>
        <source>Weights and cache leave the accelerator; nothing is answered until they are taken back.</source>
        <translation>Gewichte und Cache verlassen den Beschleuniger; bis sie zurückgeholt sind, wird nichts beantwortet.</translation>
    </message>
    <message>
        <source>Take memory again</source>
        <translation>Speicher wieder belegen</translation>
    </message>
    <message>
        <source>Weights and cache come back; answers go on.</source>
        <translation>Gewichte und Cache kommen zurück; es wird wieder geantwortet.</translation>
    </message>
    <message>
        <source>Empty all slots</source>
        <translation>Alle Slots leeren</translation>
    </message>
    <message>
        <source>llama-server has this only where it was started with --slot-save-path.</source>
        <translation>llama-server hat das nur, wenn er mit --slot-save-path gestartet wurde.</translation>
    </message>
    <message>
        <source>Empty the caches</source>
        <translation>Caches leeren</translation>
    </message>
    <message>
        <source>Caches that nobody is answered from are emptied.</source>
        <translation>Caches, aus denen niemand beantwortet wird, werden geleert.</translation>
    </message>
    <message>
        <source>%1: the engine says that it could not.</source>
        <translation>%1: Die Engine sagt, dass sie es nicht konnte.</translation>
    </message>
    <message>
        <source>%1: done, %2 caches.</source>
        <translation>%1: fertig, %2 Caches.</translation>
    </message>
    <message>
        <source>%1: done.</source>
        <translation>%1: fertig.</translation>
    </message>
    <message>
        <source>Answers being written</source>
        <translation>Antworten in Arbeit</translation>
    </message>
    <message>
        <source>Requests that wait</source>
        <translation>Wartende Anfragen</translation>
    </message>
    <message>
        <source>Cache in use</source>
        <translation>Cache in Gebrauch</translation>
    </message>
    <message>
        <source>Tokens in the cache</source>
        <translation>Token im Cache</translation>
    </message>
    <message>
        <source>Tokens it has room for</source>
        <translation>Token, für die Platz ist</translation>
    </message>
    <message>
        <source>Cache, uncompressed equivalent</source>
        <translation>Cache, unkomprimiert gerechnet</translation>
    </message>
    <message>
        <source>Cache, live</source>
        <translation>Cache, belegt</translation>
    </message>
    <message>
        <source>Cache, allocated</source>
        <translation>Cache, reserviert</translation>
    </message>
    <message>
        <source>Memory of the process</source>
        <translation>Speicher des Prozesses</translation>
    </message>
    <message>
        <source>KL against the whole cache</source>
        <translation>KL gegen den ganzen Cache</translation>
    </message>
    <message>
        <source>Answer tokens</source>
        <translation>Token der Antworten</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>Token der Prompts</translation>
    </message>
    <message>
        <source>Writing speed, as it says</source>
        <translation>Schreibgeschwindigkeit, eigene Angabe</translation>
    </message>
    <message>
        <source>Reading speed, as it says</source>
        <translation>Lesegeschwindigkeit, eigene Angabe</translation>
    </message>
    <message>
        <source>Prefix cache: tokens looked up</source>
        <translation>Präfix-Cache: nachgeschlagene Token</translation>
    </message>
    <message>
        <source>Prefix cache: tokens found</source>
        <translation>Präfix-Cache: gefundene Token</translation>
    </message>
    <message>
        <source>Prefix cache: share found, as it says</source>
        <translation>Präfix-Cache: gefundener Anteil, eigene Angabe</translation>
    </message>
    <message>
        <source>Requests answered</source>
        <translation>Beantwortete Anfragen</translation>
    </message>
    <message>
        <source>Requests put back</source>
        <translation>Zurückgestellte Anfragen</translation>
    </message>
    <message>
        <source>Drafted tokens</source>
        <translation>Entworfene Token</translation>
    </message>
    <message>
        <source>Drafted tokens taken</source>
        <translation>Übernommene Entwurfstoken</translation>
    </message>
    <message>
        <source>Share of drafts taken, as it says</source>
        <translation>Anteil übernommener Entwürfe, eigene Angabe</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>Waiting for compactions</source>
        <translation>Warten auf Verdichtungen</translation>
    </message>
    <message>
        <source>Time to the first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>Time between tokens</source>
        <translation>Zeit zwischen Token</translation>
    </message>
    <message>
        <source>Time of a request</source>
        <translation>Zeit einer Anfrage</translation>
    </message>
    <message>
        <source>Time in the queue</source>
        <translation>Zeit in der Warteschlange</translation>
    </message>
    <message>
        <source>Time of reading a prompt</source>
        <translation>Zeit zum Lesen eines Prompts</translation>
    </message>
    <message>
        <source>Time of writing an answer</source>
        <translation>Zeit zum Schreiben einer Antwort</translation>
    </message>
    <message>
        <source>Tokens of a prompt</source>
        <translation>Token eines Prompts</translation>
    </message>
    <message>
        <source>Tokens of an answer</source>
        <translation>Token einer Antwort</translation>
    </message>
    <message>
        <source>LMCache: bytes in memory</source>
        <translation>LMCache: Bytes im Speicher</translation>
    </message>
    <message>
        <source>LMCache: bytes on disk</source>
        <translation>LMCache: Bytes auf der Platte</translation>
    </message>
    <message>
        <source>LMCache: bytes elsewhere</source>
        <translation>LMCache: Bytes anderswo</translation>
    </message>
    <message>
        <source>LMCache: tokens stored</source>
        <translation>LMCache: gespeicherte Token</translation>
    </message>
    <message>
        <source>LMCache: tokens fetched</source>
        <translation>LMCache: geholte Token</translation>
    </message>
    <message>
        <source>LMCache: share found</source>
        <translation>LMCache: gefundener Anteil</translation>
    </message>
    <message>
        <source>LMCache: time of a fetch</source>
        <translation>LMCache: Zeit eines Abrufs</translation>
    </message>
    <message>
        <source>LMCache: dropped for want of room</source>
        <translation>LMCache: aus Platzmangel verworfen</translation>
    </message>
    <message>
        <source>it lists more than %1 models.</source>
        <translation>es zählt mehr als %1 Modelle auf.</translation>
    </message>
    <message>
        <source>the name of a model is too long or has control characters.</source>
        <translation>der Name eines Modells ist zu lang oder enthält Steuerzeichen.</translation>
    </message>
    <message>
        <source>it lists more than %1 slots.</source>
        <translation>es zählt mehr als %1 Slots auf.</translation>
    </message>
</context>
<context>
    <name>EngineTexts</name>
    <message>
        <source>. </source>
        <translation>. </translation>
    </message>
    <message>
        <source>; </source>
        <translation>; </translation>
    </message>
    <message>
        <source>, </source>
        <translation>, </translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>d MMM yyyy, HH:mm</source>
        <extracomment>Day, month and time as QLocale::toString takes them</extracomment>
        <translation>d. MMM yyyy, HH:mm</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <extracomment>Day and month as QLocale::toString takes them</extracomment>
        <translation>d. MMM yyyy</translation>
    </message>
</context>
<context>
    <name>HeatMap</name>
    <message>
        <source>Layer %1, head %2: %3 slots for %4 tokens (%5), %6</source>
        <translation>Schicht %1, Kopf %2: %3 Slots für %4 Token (%5), %6</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>%1. Layer %2: %3 of %4 heads hold it.</source>
        <translation>%1. Schicht %2: %3 von %4 Köpfen halten es.</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Fate</source>
        <translation>Verbleib</translation>
    </message>
    <message>
        <source>Held by</source>
        <translation>Gehalten von</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>How many slots each head keeps appears here with the first prompt.</source>
        <translation>Wie viele Slots jeder Kopf behält, erscheint hier mit dem ersten Prompt.</translation>
    </message>
    <message>
        <source>One cell for each key-value head of each layer. Full colour: as many slots as the conversation has tokens; paler: compaction left fewer.</source>
        <translation>Eine Zelle je Schlüssel-Wert-Kopf jeder Schicht. Volle Farbe: so viele Slots, wie das Gespräch Token hat; blasser: Verdichtung ließ weniger übrig.</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 Slots</translation>
    </message>
    <message>
        <source>slots a head</source>
        <translation>Slots je Kopf</translation>
    </message>
    <message>
        <source>Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 tokens, %6 in all.</source>
        <translation>Slots nach Schicht und Kopf: %1 Schichten mit %2 Köpfen, %3 bis %4 Slots für %5 Token, zusammen %6.</translation>
    </message>
    <message>
        <source>Retention by token and layer</source>
        <translation>Verbleib der Token</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>What each layer still holds of each token appears here with the first prompt.</source>
        <translation>Was jede Schicht von jedem Token noch hält, erscheint hier mit dem ersten Prompt.</translation>
    </message>
    <message>
        <source>One column for each token, one row for each layer; the darker, the more of the layer&apos;s heads still hold the token. The band above tells what became of the token as a whole.</source>
        <translation>Eine Spalte je Token, eine Zeile je Schicht; je dunkler, desto mehr Köpfe der Schicht halten das Token noch. Das Band darüber sagt, was aus dem Token im Ganzen wurde.</translation>
    </message>
    <message>
        <source>no head</source>
        <translation>kein Kopf</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>alle Köpfe</translation>
    </message>
    <message>
        <source>%1 evicted</source>
        <translation>%1 verdrängt</translation>
    </message>
    <message>
        <source>of %1 tokens</source>
        <translation>von %1 Token</translation>
    </message>
    <message>
        <source>Retention: of %1 tokens %2 are kept everywhere, %3 merged, %4 kept in part and %5 evicted.</source>
        <translation>Verbleib: Von %1 Token sind %2 überall erhalten, %3 verschmolzen, %4 teilweise erhalten und %5 verdrängt.</translation>
    </message>
    <message>
        <source>Slots by head</source>
        <translation>Slots je Kopf</translation>
    </message>
</context>
<context>
    <name>HubAddress</name>
    <message>
        <source>This names no model. Write it as OWNER/NAME, or give the address of a file.</source>
        <translation>Das benennt kein Modell. Schreiben Sie BESITZER/NAME, oder geben Sie die Adresse einer Datei an.</translation>
    </message>
    <message>
        <source>This is no address of a hub. Write it like %1.</source>
        <translation>Das ist keine Adresse eines Hubs. Schreiben Sie sie wie %1.</translation>
    </message>
    <message>
        <source>Nothing is fetched from %1: addresses begin with https://.</source>
        <translation>Von %1 wird nichts geholt: Adressen beginnen mit https://.</translation>
    </message>
    <message>
        <source>An address with a name or a password in it is not fetched.</source>
        <translation>Eine Adresse mit einem Namen oder Passwort darin wird nicht geholt.</translation>
    </message>
    <message>
        <source>%1 would be fetched unencrypted, and anybody on the way could change it. Use https, or allow http for this download.</source>
        <translation>%1 würde unverschlüsselt geholt, und jeder auf dem Weg könnte es ändern. Nehmen Sie https, oder erlauben Sie http für diesen Download.</translation>
    </message>
    <message>
        <source>The server sends elsewhere. %1</source>
        <translation>Der Server verweist anderswohin. %1</translation>
    </message>
    <message>
        <source>The server sends from https to http (%1); that is not followed.</source>
        <translation>Der Server verweist von https auf http (%1); dem wird nicht gefolgt.</translation>
    </message>
    <message>
        <source>The server sends into this machine or a private network (%1); that is not followed.</source>
        <translation>Der Server verweist auf diesen Rechner oder ein privates Netz (%1); dem wird nicht gefolgt.</translation>
    </message>
    <message>
        <source>“%1” is no name that a file gets here: letters, digits and . _ - only, at most %2 signs.</source>
        <translation>„%1“ ist kein Name, den eine Datei hier bekommt: nur Buchstaben, Ziffern und . _ -, höchstens %2 Zeichen.</translation>
    </message>
</context>
<context>
    <name>HubListing</name>
    <message>
        <source>The list of files cannot be understood: %1</source>
        <translation>Die Dateiliste ist nicht zu verstehen: %1</translation>
    </message>
    <message>
        <source>Of its %1 parts the repository has %2.</source>
        <translation>Von seinen %1 Teilen hat das Repository %2.</translation>
    </message>
    <message>
        <source>it is no list.</source>
        <translation>sie ist keine Liste.</translation>
    </message>
    <message>
        <source>it has more than %1 entries.</source>
        <translation>sie hat mehr als %1 Einträge.</translation>
    </message>
    <message>
        <source>an entry is no object.</source>
        <translation>ein Eintrag ist kein Objekt.</translation>
    </message>
    <message>
        <source>an entry has no usable path.</source>
        <translation>ein Eintrag hat keinen brauchbaren Pfad.</translation>
    </message>
</context>
<context>
    <name>DownloadRequest</name>
    <message>
        <source>Two of its files are called %1.</source>
        <translation>Zwei seiner Dateien heißen %1.</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits of 0-9 and a-f.</source>
        <translation>Eine SHA-256-Prüfsumme hat 64 Zeichen aus 0-9 und a-f.</translation>
    </message>
</context>
<context>
    <name>SettingHelp</name>
    <message>
        <source>How the cache is made smaller. None: nothing is lost, and memory grows with every token. Evict tokens: frees memory at once and costs next to no time; what was evicted is forgotten. Attention matching: forgets far less at the same size; takes seconds of work, most of it in the background. (Eviction: arXiv 2406.11430. Attention matching: arXiv 2602.16284.)</source>
        <translation>Wie der Cache verkleinert wird. Keine: Nichts geht verloren, und der Speicher wächst mit jedem Token. Token verdrängen: macht sofort Speicher frei und kostet fast keine Zeit; was verdrängt wurde, ist vergessen. Attention Matching: vergisst bei gleicher Größe weit weniger; braucht Sekunden Arbeit, meist im Hintergrund. (Verdrängung: arXiv 2406.11430. Attention Matching: arXiv 2602.16284.)</translation>
    </message>
    <message>
        <source>How many times smaller attention matching makes the cache. More: less memory and faster answers in long conversations. Less: more is remembered exactly; up to about 4 little is lost on most texts. Sinks and recent tokens count in, and take at most an eighth. A text that is too short for its ratio is left as it is, and you are told which one would do. (arXiv 2602.16284.)</source>
        <translation>Um wie viel Attention Matching den Cache verkleinert. Mehr: weniger Speicher und schnellere Antworten in langen Gesprächen. Weniger: Mehr bleibt genau erhalten; bis etwa 4 geht bei den meisten Texten wenig verloren. Senken und neueste Token zählen mit und nehmen höchstens ein Achtel ein. Ein Text, der für sein Verhältnis zu kurz ist, bleibt, wie er ist, und Sie erfahren, welches ginge. (arXiv 2602.16284.)</translation>
    </message>
    <message>
        <source>So many tokens each head keeps after a compaction, however long the text. Less: memory stays small. More: more is remembered. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>So viele Token behält jeder Kopf nach einer Verdichtung, wie lang der Text auch ist. Weniger: Der Speicher bleibt klein. Mehr: Mehr bleibt erhalten. Mindestens Senken + neueste behalten + 1, höchstens der Kontext; zwischen zwei Verdichtungen darf der Cache es um den Spielraum überschreiten.</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches. Models look at them all the time: without them answers fall apart; more than a few cost memory and gain nothing. Coded caches keep them in 16 bits. (Attention sinks, arXiv 2309.17453.)</source>
        <translation>Die ersten Token, die keine Verdichtung berührt. Modelle sehen ständig auf sie: Ohne sie zerfallen Antworten; mehr als einige kosten Speicher und bringen nichts. Codierte Caches behalten sie in 16 Bit. (Attention Sinks, arXiv 2309.17453.)</translation>
    </message>
    <message>
        <source>How far the cache may grow past its target before it is compacted. More: fewer pauses. Less: memory stays closer to the target. Off is an eighth of the target, between 16 and 256.</source>
        <translation>Wie weit der Cache über sein Ziel wachsen darf, bevor er verdichtet wird. Mehr: weniger Pausen. Weniger: Der Speicher bleibt näher am Ziel. Aus heißt ein Achtel des Ziels, zwischen 16 und 256.</translation>
    </message>
    <message>
        <source>Whether each head chooses for itself what an eviction keeps. Alone: each keeps what it needs, and more is remembered. Together: the same tokens are held everywhere, so that it is plain what was forgotten.</source>
        <translation>Ob jeder Kopf für sich wählt, was eine Verdrängung behält. Allein: Jeder behält, was er braucht, und mehr bleibt erhalten. Gemeinsam: Überall stehen dieselben Token, sodass klar ist, was vergessen wurde.</translation>
    </message>
    <message>
        <source>How an eviction shares its room out among heads; the total is the same. By score: heads that look far back keep more, and more is remembered. The same for all: simple, and the largest head needs no more than the budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</source>
        <translation>Wie eine Verdrängung ihren Raum unter den Köpfen verteilt; die Summe ist gleich. Nach Wertung: Köpfe, die weit zurück sehen, behalten mehr, und mehr bleibt erhalten. Für alle gleich: einfach, und der größte Kopf braucht nicht mehr als das Budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</translation>
    </message>
    <message>
        <source>How attention matching shares its room out among heads; the total is the same. Measured heads: those that fetch what stands far back keep more, and facts survive; the measuring is done once for each model, while nothing is asked. The same for all: needs no measuring, and loses more.</source>
        <translation>Wie Attention Matching seinen Raum unter den Köpfen verteilt; die Summe ist gleich. Gemessene Köpfe: Jene, die holen, was weit zurück steht, behalten mehr, und Fakten überleben; gemessen wird einmal je Modell, während nichts gefragt ist. Für alle gleich: braucht keine Messung und verliert mehr.</translation>
    </message>
    <message>
        <source>How it is found out what a repetition of the text would look at. By repeating: exact; reads the text up to three times. Foretold: nothing waits; a little less exact, and a model must have been fitted once.</source>
        <translation>Wie herausgefunden wird, worauf eine Wiederholung des Textes sähe. Durch Wiederholen: genau; liest den Text bis zu dreimal. Vorhergesagt: Nichts wartet; etwas weniger genau, und das Modell muss einmal angepasst worden sein.</translation>
    </message>
    <message>
        <source>On: punctuation and blanks count a fifth when an eviction chooses by attention, which leaves more room for words. Off: they count like all else.</source>
        <translation>Ein: Satzzeichen und Leerzeichen zählen ein Fünftel, wenn eine Verdrängung nach Aufmerksamkeit wählt; das lässt mehr Raum für Wörter. Aus: Sie zählen wie alles andere.</translation>
    </message>
    <message>
        <source>Bits of the values where they differ from those of the keys. Values bear fewer bits than keys: 8 for keys and 4 for values costs most models next to nothing.</source>
        <translation>Bits der Werte, wo sie andere sind als die der Schlüssel. Werte vertragen weniger Bits als Schlüssel: 8 für Schlüssel und 4 für Werte kosten die meisten Modelle fast nichts.</translation>
    </message>
    <message>
        <source>So many newest tokens keep 16 bits beside their codes. More: what was just said is read exactly. Less: saves the bytes of so many tokens. 0 keeps codes alone. (KIVI, arXiv 2402.02750, keeps 128.)</source>
        <translation>So viele neueste Token behalten 16 Bit neben ihren Codes. Mehr: Was gerade gesagt wurde, wird genau gelesen. Weniger: spart die Bytes so vieler Token. 0 behält die Codes allein. (KIVI, arXiv 2402.02750, behält 128.)</translation>
    </message>
    <message>
        <source>What spreads numbers before they are coded. Calibrated: fewer bits lose less, after minutes of measuring, once for each model. Hadamard: needs none. (arXiv 2605.17757.)</source>
        <translation>Was Zahlen verteilt, bevor sie codiert werden. Kalibriert: Weniger Bits verlieren weniger, nach Minuten des Messens, einmal je Modell. Hadamard: braucht keines. (arXiv 2605.17757.)</translation>
    </message>
    <message>
        <source>So many bits a number more on average, in the layers where they save this model most: most of the gain of a whole bit for a part of its bytes. Needs minutes of measuring, once for each model.</source>
        <translation>So viele Bits je Zahl mehr im Mittel, in den Schichten, in denen sie diesem Modell am meisten helfen: der größte Teil des Gewinns eines ganzen Bits für einen Teil seiner Bytes. Braucht Minuten des Messens, einmal je Modell.</translation>
    </message>
    <message>
        <source>Every layer keeps only the first and the newest tokens, so many in all: memory never grows. Everything in between is forgotten for good. Not together with a method or a budget. (arXiv 2309.17453.)</source>
        <translation>Jede Schicht behält nur die ersten und die neuesten Token, so viele insgesamt: Der Speicher wächst nie. Alles dazwischen ist für immer vergessen. Nicht zusammen mit einer Methode oder einem Budget. (arXiv 2309.17453.)</translation>
    </message>
    <message>
        <source>Bits of each number in the cache. Fewer: a fraction of the memory, every token stays, and long conversations answer faster. Too few ruin some models without a sign: measure first (Tools menu, Cache formats of this model). What fewer bits have rounded away stays lost. t8 to t1 are rotated codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, f16 is 16 bits. (Rotated codes: arXiv 2504.19874.)</source>
        <translation>Bits jeder Zahl im Cache. Weniger: ein Bruchteil des Speichers, jedes Token bleibt, und lange Gespräche antworten schneller. Zu wenige verderben manche Modelle unbemerkt: Messen Sie zuerst (Menü Werkzeuge, Cache-Formate dieses Modells). Was weniger Bits weggerundet haben, bleibt verloren. t8 bis t1 sind rotierte Codes von 8 bis 1 Bit, q8_0 und q4_0 Codes in Gruppen, f16 sind 16 Bit. (Rotierte Codes: arXiv 2504.19874.)</translation>
    </message>
    <message>
        <source>When the cache is compacted. At the budget: memory stays close to it; what the next question needs may be gone. One turn late: more of what is asked next is remembered, since the newest queries judge what stood before them; the cache may grow by a whole turn beyond the budget. The cache limit and compacting by hand act at once all the same. (Delayed compaction, arXiv 2608.00902.)</source>
        <translation>Wann der Cache verdichtet wird. Beim Budget: Der Speicher bleibt nahe daran; was die nächste Frage braucht, ist vielleicht fort. Eine Runde später: Von dem, was als Nächstes gefragt wird, bleibt mehr, weil die neuesten Abfragen beurteilen, was vor ihnen stand; der Cache kann um eine ganze Runde über das Budget wachsen. Die Cache-Grenze und das Verdichten von Hand wirken trotzdem sofort. (Verzögerte Verdichtung, arXiv 2608.00902.)</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches. More: what was just said stays exact. Less: more room for what stands further back.</source>
        <translation>Die neuesten Token, die keine Verdichtung anrührt. Mehr: eben Gesagtes bleibt exakt. Weniger: mehr Raum für weiter Zurückliegendes.</translation>
    </message>
    <message>
        <source>A conversation of fewer tokens is not compacted. More: short conversations answer as without compression. Less: memory is saved earlier. 0 compacts any conversation.</source>
        <translation>Ein Gespräch mit weniger Token wird nicht verdichtet. Mehr: kurze Gespräche antworten wie ohne Kompression. Weniger: Speicher wird früher gespart. 0 verdichtet jedes Gespräch.</translation>
    </message>
    <message>
        <source>What a compaction may lose, measured before it is carried out. Where the ratio asked for loses more, a smaller one is used, and shown. strict: nearly nothing, less memory is saved. off: the ratio is carried out whatever it loses.</source>
        <translation>Was eine Verdichtung verlieren darf, gemessen, bevor sie ausgeführt wird. Verliert das verlangte Verhältnis mehr, gilt ein kleineres und wird angezeigt. strict: fast nichts, weniger Speicher wird gespart. off: Das Verhältnis wird ausgeführt, was immer es verliert.</translation>
    </message>
    <message>
        <source>Which tokens an eviction keeps. By attention (seen by queries, expected to be seen): remembers more of what is asked for later; costs time to find out, and seeing a repetition reads the text up to three times. By distance and query centres: for long answers; costs little. By keys alone (norms, KeyDiff): costs nothing; facts get lost sooner. Newest only and random are there to compare with. (Key norms arXiv 2406.11430, KeyDiff 2504.15364, SnapKV 2404.14469, H2O 2306.14048, KVzip 2505.23416, Expected Attention 2510.00636, TriAttention 2604.04921.)</source>
        <translation>Welche Token eine Verdrängung behält. Nach Attention (von Anfragen gesehen, voraussichtlich gesehen): erinnert mehr von dem, wonach später gefragt wird; kostet Zeit, und eine Wiederholung liest den Text bis zu dreimal. Nach Abstand und Zentren der Anfragen: für lange Antworten; kostet wenig. Nach Schlüsseln allein (Normen, KeyDiff): kostet nichts; Fakten gehen eher verloren. Nur Neueste und Zufall dienen dem Vergleich. (Schlüsselnormen arXiv 2406.11430, KeyDiff 2504.15364, SnapKV 2404.14469, H2O 2306.14048, KVzip 2505.23416, Expected Attention 2510.00636, TriAttention 2604.04921.)</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
</context>
<context>
    <name>ListText</name>
    <message>
        <source>, </source>
        <translation>, </translation>
    </message>
    <message>
        <source>; </source>
        <translation>; </translation>
    </message>
    <message>
        <source>: </source>
        <translation>: </translation>
    </message>
</context>
<context>
    <name>MemoryPlan</name>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Cache, live</source>
        <translation>Cache, belegt</translation>
    </message>
    <message>
        <source>Cache, reserved</source>
        <translation>Cache, reserviert</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Shadow</source>
        <translation>Schatten</translation>
    </message>
    <message>
        <source>Kept texts</source>
        <translation>Aufbewahrte Texte</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>The numbers of the model.</source>
        <translation>Die Zahlen des Modells.</translation>
    </message>
    <message>
        <source>Keys and values of the tokens that are held.</source>
        <translation>Schlüssel und Werte der gehaltenen Token.</translation>
    </message>
    <message>
        <source>Reserved ahead for coming tokens.</source>
        <translation>Im Voraus für kommende Token reserviert.</translation>
    </message>
    <message>
        <source>The uncompressed cache that live quality compares with.</source>
        <translation>Der unkomprimierte Cache, mit dem die laufende Qualität vergleicht.</translation>
    </message>
    <message>
        <source>Of texts that were read, for others that begin alike; at most.</source>
        <translation>Von gelesenen Texten, für andere mit gleichem Anfang; höchstens.</translation>
    </message>
    <message>
        <source>Second copies and readings while caches are compacted; at most.</source>
        <translation>Zweite Kopien und Lesungen, während Caches verdichtet werden; höchstens.</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Planned for %1 at %2 tokens with a cache of %3: %4 in all, %5.</source>
        <translation>Geplant für %1 bei %2 Token mit einem Cache in %3: %4 insgesamt, %5.</translation>
    </message>
    <message>
        <source>It fits into the %1 that are free.</source>
        <translation>Es passt in die freien %1.</translation>
    </message>
    <message>
        <source>It does not fit into the %1 that are free; %2 tokens do.</source>
        <translation>Es passt nicht in die freien %1; %2 Token passen.</translation>
    </message>
    <message>
        <source>Measured now: %1.</source>
        <translation>Jetzt gemessen: %1.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Free for it</source>
        <translation>Dafür frei</translation>
    </message>
    <message>
        <source>Rest of the program</source>
        <translation>Übriges Programm</translation>
    </message>
    <message>
        <source>What one step of reading computes with.</source>
        <translation>Womit ein Leseschritt rechnet.</translation>
    </message>
    <message>
        <source>Measured: the window, the vocabulary, the recording of the session, and what compactions and estimates compute with.</source>
        <translation>Gemessen: Fenster, Vokabular, Aufzeichnung der Sitzung und womit Verdichtungen und Schätzungen rechnen.</translation>
    </message>
</context>
<context>
    <name>ModelJobs</name>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Which heads need far context, so that attention matching gives slots to those. Seconds to minutes; the window measures them by itself as well.</source>
        <translation>Welche Köpfe fernen Kontext brauchen, damit Attention Matching denen Slots gibt. Sekunden bis Minuten; das Fenster misst sie auch von selbst.</translation>
    </message>
    <message>
        <source>Rotations</source>
        <translation>Rotationen</translation>
    </message>
    <message>
        <source>Caches with 2 and 3 bits lose less. Minutes.</source>
        <translation>Caches mit 2 und 3 Bits verlieren weniger. Minuten.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Which layers get the extra bits (extra_bits). Minutes; after the rotations, which it is measured under.</source>
        <translation>Welche Schichten die zusätzlichen Bits bekommen (extra_bits). Minuten; nach den Rotationen, unter denen gemessen wird.</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>Transformation</translation>
    </message>
    <message>
        <source>Caches that are stored on disk get smaller. Minutes.</source>
        <translation>Auf der Platte abgelegte Caches werden kleiner. Minuten.</translation>
    </message>
    <message>
        <source>Surrogate</source>
        <translation>Ersatz</translation>
    </message>
    <message>
        <source>Evictions keep what a repetition of the text would look at, without reading it again. Minutes.</source>
        <translation>Verdrängungen behalten, was eine Wiederholung des Textes ansehen würde, ohne ihn noch einmal zu lesen. Minuten.</translation>
    </message>
    <message>
        <source>Query centres</source>
        <translation>Zentren der Anfragen</translation>
    </message>
    <message>
        <source>Evictions by TriAttention, during long answers, know the model&apos;s queries beforehand. Less than a minute for small models.</source>
        <translation>Verdrängungen nach TriAttention kennen bei langen Antworten die Anfragen des Modells im Voraus. Unter einer Minute bei kleinen Modellen.</translation>
    </message>
    <message>
        <source>It ended with status %1 and said nothing about why.</source>
        <translation>Es endete mit Status %1 und sagte nicht, warum.</translation>
    </message>
</context>
<context>
    <name>PartFile</name>
    <message>
        <source>The disk has no room left for %1. What has come is kept; make room, then resume.</source>
        <translation>Die Platte hat keinen Platz mehr für %1. Was gekommen ist, bleibt; schaffen Sie Platz, und setzen Sie dann fort.</translation>
    </message>
    <message>
        <source>The disk takes no file of that size (%1). Choose a folder on another one.</source>
        <translation>Die Platte nimmt keine Datei dieser Größe (%1). Wählen Sie einen Ordner auf einer anderen.</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 lässt sich nicht schreiben: %2.</translation>
    </message>
    <message>
        <source>Another window or program is downloading %1.</source>
        <translation>Ein anderes Fenster oder Programm lädt %1 gerade herunter.</translation>
    </message>
</context>
<context>
    <name>Profiles</name>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Takes the fewest bits that were measured to cost this model nearly nothing. Every token stays.</source>
        <translation>Nimmt die wenigsten Bits, die dieses Modell nach Messung fast nichts kosten. Jedes Token bleibt.</translation>
    </message>
    <message>
        <source>Frugal</source>
        <translation>Sparsam</translation>
    </message>
    <message>
        <source>The smallest cache: keys in eight bits, values in four, and attention matching holds a long text in a quarter of its slots. Details of long texts can get lost.</source>
        <translation>Der kleinste Cache: Schlüssel in acht Bit, Werte in vier, und Attention Matching hält einen langen Text in einem Viertel seiner Slots. Einzelheiten langer Texte können verloren gehen.</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>16 bits and every token: nothing is lost, and the cache takes most memory.</source>
        <translation>16 Bit und jedes Token: Nichts geht verloren, und der Cache nimmt am meisten Speicher.</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Return</source>
        <translation>Eingabe</translation>
    </message>
</context>
<context>
    <name>RemoteAddress</name>
    <message>
        <source>This is no address. Write it like http://127.0.0.1:8080.</source>
        <translation>Das ist keine Adresse. Schreiben Sie sie wie http://127.0.0.1:8080.</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://, not with %1://.</source>
        <translation>Eine Adresse beginnt mit http:// oder https://, nicht mit %1://.</translation>
    </message>
    <message>
        <source>Write the key into its own field, not into the address.</source>
        <translation>Schreiben Sie den Schlüssel in sein eigenes Feld, nicht in die Adresse.</translation>
    </message>
    <message>
        <source>The address ends before “?” and “#”.</source>
        <translation>Die Adresse endet vor „?“ und „#“.</translation>
    </message>
    <message>
        <source>The address is missing. Write it like http://127.0.0.1:8080.</source>
        <translation>Die Adresse fehlt. Schreiben Sie sie wie http://127.0.0.1:8080.</translation>
    </message>
    <message>
        <source>A key has letters, digits and signs of ASCII only, no blanks.</source>
        <translation>Ein Schlüssel besteht nur aus Buchstaben, Ziffern und Zeichen in ASCII, ohne Leerzeichen.</translation>
    </message>
</context>
<context>
    <name>RemoteProblem</name>
    <message>
        <source>It says: “%1”</source>
        <translation>Sie sagt: „%1“</translation>
    </message>
    <message>
        <source>Nobody listens at %1. Is the engine running, at this port?</source>
        <translation>Unter %1 hört niemand. Läuft die Engine, an diesem Port?</translation>
    </message>
    <message>
        <source>There is no machine called %1 here.</source>
        <translation>Hier gibt es keinen Rechner namens %1.</translation>
    </message>
    <message>
        <source>%1 does not answer in time.</source>
        <translation>%1 antwortet nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>%1 closed the connection without an answer.</source>
        <translation>%1 hat die Verbindung ohne Antwort geschlossen.</translation>
    </message>
    <message>
        <source>%1 is not reached: %2.</source>
        <translation>%1 ist nicht erreichbar: %2.</translation>
    </message>
    <message>
        <source>The engine wants a key, or another one.</source>
        <translation>Die Engine verlangt einen Schlüssel oder einen anderen.</translation>
    </message>
    <message>
        <source>The engine does not let this key do that.</source>
        <translation>Die Engine erlaubt das mit diesem Schlüssel nicht.</translation>
    </message>
    <message>
        <source>The engine answers, but not at %1 (%2).</source>
        <translation>Die Engine antwortet, aber nicht unter %1 (%2).</translation>
    </message>
    <message>
        <source>The engine has too many requests.</source>
        <translation>Die Engine hat zu viele Anfragen.</translation>
    </message>
    <message>
        <source>The engine is not ready: it is loading, asleep or full.</source>
        <translation>Die Engine ist nicht bereit: Sie lädt, schläft oder ist voll.</translation>
    </message>
    <message>
        <source>Try again in %1 s.</source>
        <translation>In %1 s erneut versuchen.</translation>
    </message>
    <message>
        <source>The engine failed (%1).</source>
        <translation>Die Engine ist gescheitert (%1).</translation>
    </message>
    <message>
        <source>The engine has moved to %1. Write that address; it is not followed by itself, because the key would go along.</source>
        <translation>Die Engine ist nach %1 umgezogen. Schreiben Sie diese Adresse; ihr wird nicht von selbst gefolgt, weil der Schlüssel mitginge.</translation>
    </message>
    <message>
        <source>The engine refused the request (%1).</source>
        <translation>Die Engine hat die Anfrage abgelehnt (%1).</translation>
    </message>
    <message>
        <source>This is not what an engine answers: %1</source>
        <translation>So antwortet keine Engine: %1</translation>
    </message>
    <message>
        <source>The certificate of %1 is not one to trust: %2.</source>
        <translation>Das Zertifikat von %1 ist nicht vertrauenswürdig: %2.</translation>
    </message>
    <message>
        <source>The connection broke off before the answer&apos;s end.</source>
        <translation>Die Verbindung brach vor dem Ende der Antwort ab.</translation>
    </message>
</context>
<context>
    <name>ReportParts</name>
    <message>
        <source>Charts and maps</source>
        <translation>Diagramme und Karten</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Answers and their figures</source>
        <translation>Antworten und ihre Zahlen</translation>
    </message>
    <message>
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>Memory of texts</source>
        <translation>Aufbewahrte Texte</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Settings and their changes</source>
        <translation>Einstellungen und ihre Änderungen</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>What was said</source>
        <translation>Was gesagt wurde</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>%1 %2 to %3</source>
        <translation>%1 von %2 auf %3</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>SweepSettings</name>
    <message>
        <source>This ratio becomes a budget in slots, and the length of the conversation is not known before its next answer.</source>
        <translation>Dieses Verhältnis wird zu einem Budget in Slots, und die Länge des Gesprächs steht erst mit der nächsten Antwort fest.</translation>
    </message>
</context>
<context>
    <name>TokenFate</name>
    <message>
        <source>gone since compaction %1</source>
        <translation>weg seit Verdichtung %1</translation>
    </message>
    <message>
        <source>gone by compaction %1 or before</source>
        <translation>weg durch Verdichtung %1 oder eine frühere</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>Senke</translation>
    </message>
    <message>
        <source>recent</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>erhalten</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>verschmolzen</translation>
    </message>
    <message>
        <source>kept in part</source>
        <translation>teilweise erhalten</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>verdrängt</translation>
    </message>
    <message>
        <source>all heads of layers %1</source>
        <translation>alle Köpfe der Schichten %1</translation>
    </message>
    <message>
        <source>some of others</source>
        <translation>einige der übrigen</translation>
    </message>
    <message>
        <source>none of layers %1</source>
        <translation>keiner der Schichten %1</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads</source>
        <translation>gehalten von %1 der Schichten und Köpfe</translation>
    </message>
    <message>
        <source>answers for %1 tokens</source>
        <translation>steht für %1 Token</translation>
    </message>
    <message>
        <source>key %1 x the mean length</source>
        <translation>Schlüssel %1 x die mittlere Länge</translation>
    </message>
    <message>
        <source>Token %1 of %2 “%3”: %4</source>
        <translation>Token %1 von %2 „%3“: %4</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads (%2)</source>
        <translation>gehalten von %1 der Schichten und Köpfe (%2)</translation>
    </message>
    <message>
        <source>in the weakest passage, of which %1 of the information was kept</source>
        <translation>in der schwächsten Passage, von deren Information %1 erhalten blieben</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ApplicationState</name>
    <message>
        <source>ends</source>
        <translation>endet</translation>
    </message>
    <message>
        <source>Lacuna %1 starts: Qt %2, %3, %4 cores, %5 (%6), %7 of memory</source>
        <translation>Lacuna %1 startet: Qt %2, %3, %4 Kerne, %5 (%6), %7 Speicher</translation>
    </message>
    <message>
        <source>%1 Wait for its end or stop it.</source>
        <translation>%1 Warten Sie das Ende ab oder halten Sie es an.</translation>
    </message>
    <message>
        <source>An answer is being written. Wait for its end or stop it.</source>
        <translation>Eine Antwort wird geschrieben. Warten Sie das Ende ab oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>Answers come from %1 now; this is of the local engine. Disconnect to use it.</source>
        <translation>Antworten kommen jetzt von %1; dies gehört zur lokalen Engine. Trennen Sie die Verbindung, um sie zu benutzen.</translation>
    </message>
    <message>
        <source>A model is being loaded. Wait for its end or stop it.</source>
        <translation>Ein Modell wird geladen. Warten Sie das Ende ab oder halten Sie es an.</translation>
    </message>
    <message>
        <source>A measurement runs. Wait for its end or stop it.</source>
        <translation>Eine Messung läuft. Warten Sie das Ende ab oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>Answers come from %1 now, at %2</source>
        <translation>Antworten kommen jetzt von %1, unter %2</translation>
    </message>
    <message>
        <source>Disconnected from %1</source>
        <translation>Von %1 getrennt</translation>
    </message>
    <message>
        <source>%1 was asked</source>
        <translation>%1 wurde gefragt</translation>
    </message>
    <message>
        <source>%1 answered (%2)</source>
        <translation>%1 hat geantwortet (%2)</translation>
    </message>
    <message>
        <source>Paused while an answer is written.</source>
        <translation>Pausiert, solange eine Antwort geschrieben wird.</translation>
    </message>
    <message>
        <source>Paused while another measurement runs.</source>
        <translation>Pausiert, solange eine andere Messung läuft.</translation>
    </message>
    <message>
        <source>Conversations are on disk again.</source>
        <translation>Gespräche liegen wieder auf der Platte.</translation>
    </message>
    <message>
        <source>The cache settings of “%1” were given up: %2</source>
        <translation>Die Cache-Einstellungen von „%1“ wurden aufgegeben: %2</translation>
    </message>
    <message>
        <source>Something the engine told could not be taken: %1</source>
        <translation>Eine Meldung der Engine war nicht zu verarbeiten: %1</translation>
    </message>
    <message>
        <source>The engine stopped: %1 Restart Lacuna.</source>
        <translation>Die Engine ist stehen geblieben: %1 Starten Sie Lacuna neu.</translation>
    </message>
    <message>
        <source>%1 does not guess ahead for %2: %3</source>
        <translation>%1 rät nicht für %2 voraus: %3</translation>
    </message>
    <message>
        <source>The cache of this conversation came from %1, %2 tokens. The next question goes on with it as far as the text is the same.</source>
        <translation>Der Cache dieses Gesprächs kam aus %1, %2 Token. Die nächste Frage geht damit weiter, soweit der Text derselbe ist.</translation>
    </message>
    <message>
        <source>The cache of this conversation was written to %1, %2 tokens.</source>
        <translation>Der Cache dieses Gesprächs wurde nach %1 geschrieben, %2 Token.</translation>
    </message>
    <message>
        <source>Precision from the next answer on: %1</source>
        <translation>Genauigkeit ab der nächsten Antwort: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::CalibrationController</name>
    <message>
        <source>Rotated codes of this model are turned by rotations that were calibrated on it.</source>
        <translation>Rotierte Codes dieses Modells werden mit Rotationen gedreht, die auf ihm kalibriert wurden.</translation>
    </message>
    <message>
        <source>Rotated codes of this model are turned by random rotations, because those that lie next to it cannot be used: %1.</source>
        <translation>Rotierte Codes dieses Modells werden mit zufälligen Rotationen gedreht, weil die daneben liegenden nicht brauchbar sind: %1.</translation>
    </message>
    <message>
        <source>Rotated codes of this model are turned by random rotations; calibrated ones lose less with 2 and 3 bits.</source>
        <translation>Rotierte Codes dieses Modells werden mit zufälligen Rotationen gedreht; kalibrierte verlieren bei 2 und 3 Bit weniger.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an…</translation>
    </message>
    <message>
        <source>Calibrating, %1 of %2 tokens read</source>
        <translation>Kalibrierung, %1 von %2 Token gelesen</translation>
    </message>
    <message>
        <source>Making the text</source>
        <translation>Text wird erzeugt</translation>
    </message>
    <message>
        <source>The text that comes with the program was not found.</source>
        <translation>Der mitgelieferte Text wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>Calibrated in %1 of work; kept as %2. It counts once the model is loaded again.</source>
        <translation>Kalibriert in %1 Arbeit; gespeichert als %2. Es gilt, sobald das Modell neu geladen ist.</translation>
    </message>
    <message>
        <source>Stopped; nothing was kept of it.</source>
        <translation>Angehalten; nichts davon wurde behalten.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ChatController</name>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>Eine Antwort wird geschrieben. Halten Sie sie zuerst an.</translation>
    </message>
    <message>
        <source>This conversation is being read from disk.</source>
        <translation>Dieses Gespräch wird von der Platte gelesen.</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neues Gespräch</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>There is no answer yet.</source>
        <translation>Es gibt noch keine Antwort.</translation>
    </message>
    <message>
        <source>The answer came to its end.</source>
        <translation>Die Antwort ist zu Ende.</translation>
    </message>
    <message>
        <source>The answer has no words yet: answer again.</source>
        <translation>Die Antwort hat noch keine Wörter: Lassen Sie neu antworten.</translation>
    </message>
    <message>
        <source>%1 (continued)</source>
        <translation>%1 (Fortsetzung)</translation>
    </message>
    <message>
        <source>There is no question yet.</source>
        <translation>Es gibt noch keine Frage.</translation>
    </message>
    <message>
        <source>The system prompt has a window of its own.</source>
        <translation>Der Systemprompt hat ein eigenes Fenster.</translation>
    </message>
    <message>
        <source>Edited by you. Continue writes on from its end.</source>
        <translation>Von Ihnen bearbeitet. „Fortsetzen“ schreibt von seinem Ende an weiter.</translation>
    </message>
    <message>
        <source>Not sent: the model was not loaded.</source>
        <translation>Nicht gesendet: Das Modell wurde nicht geladen.</translation>
    </message>
    <message>
        <source>Sent once the model is loaded.</source>
        <translation>Wird gesendet, sobald das Modell geladen ist.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConfigController</name>
    <message>
        <source>Takes effect at the next token.</source>
        <translation>Gilt ab dem nächsten Token.</translation>
    </message>
    <message>
        <source>Takes effect with the next answer.</source>
        <translation>Gilt ab der nächsten Antwort.</translation>
    </message>
    <message>
        <source>Takes effect when a conversation&apos;s cache is built again.</source>
        <translation>Gilt, wenn der Cache eines Gesprächs neu aufgebaut wird.</translation>
    </message>
    <message>
        <source>Sent again with revision %1.</source>
        <translation>Mit Fassung %1 erneut gesendet.</translation>
    </message>
    <message>
        <source>Not applied: %1</source>
        <translation>Nicht angewandt: %1</translation>
    </message>
    <message>
        <source>The engine could not apply this change; %1 is still in force.</source>
        <translation>Die Engine konnte diese Änderung nicht anwenden; %1 gilt weiter.</translation>
    </message>
    <message>
        <source>no effect while %1</source>
        <translation>ohne Wirkung: %1</translation>
    </message>
    <message>
        <source>A part waits for the next answer.</source>
        <translation>Ein Teil wartet auf die nächste Antwort.</translation>
    </message>
    <message>
        <source>The change was rolled back.</source>
        <translation>Die Änderung wurde zurückgenommen.</translation>
    </message>
    <message>
        <source> A budget of %1 keeps half of the %2 slots that a head holds now, and the others go.</source>
        <translation> Ein Budget von %1 behält die Hälfte der %2 Slots, die ein Kopf jetzt hält; die anderen gehen.</translation>
    </message>
    <message>
        <source>moving it sets %1</source>
        <translation>Verschieben setzt %1</translation>
    </message>
    <message>
        <source>unused without a method</source>
        <translation>ohne Methode ungenutzt</translation>
    </message>
    <message>
        <source>unused by attention matching</source>
        <translation>bei Attention Matching ungenutzt</translation>
    </message>
    <message>
        <source>unused by eviction</source>
        <translation>bei Verdrängung ungenutzt</translation>
    </message>
    <message>
        <source>sets %1</source>
        <translation>setzt %1</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>ungenutzt</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConnectionList</name>
    <message>
        <source>The list of engines was not read: %1</source>
        <translation>Die Liste der Engines wurde nicht gelesen: %1</translation>
    </message>
    <message>
        <source>The list of engines was not written: %1</source>
        <translation>Die Liste der Engines wurde nicht geschrieben: %1</translation>
    </message>
    <message>
        <source>Lacuna: key of %1</source>
        <translation>Lacuna: Schlüssel von %1</translation>
    </message>
    <message>
        <source>There is no keyring here now.</source>
        <translation>Hier gibt es jetzt keinen Schlüsselbund.</translation>
    </message>
    <message>
        <source>The keyring does not have the key any more.</source>
        <translation>Der Schlüsselbund hat den Schlüssel nicht mehr.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationListModel</name>
    <message numerus="yes">
        <source>%1, %n message(s)</source>
        <translation>
            <numerusform>%1, %n Nachricht</numerusform>
            <numerusform>%1, %n Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>
Last changed %1.</source>
        <translation>
Zuletzt geändert am %1.</translation>
    </message>
    <message>
        <source>
Last answered with %1.</source>
        <translation>
Zuletzt beantwortet mit %1.</translation>
    </message>
    <message>
        <source>
It has cache settings of its own.</source>
        <translation>
Es hat eigene Cache-Einstellungen.</translation>
    </message>
    <message>
        <source>
It is private: nothing of it is stored.</source>
        <translation>
Es ist privat: Nichts davon wird aufbewahrt.</translation>
    </message>
    <message>
        <source>, answering</source>
        <translation>, antwortet</translation>
    </message>
    <message>
        <source>, own cache settings</source>
        <translation>, eigene Cache-Einstellungen</translation>
    </message>
    <message>
        <source>, private</source>
        <translation>, privat</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationStorage</name>
    <message>
        <source>Stored conversations cannot be read: %1</source>
        <translation>Gespeicherte Gespräche sind nicht lesbar: %1</translation>
    </message>
    <message>
        <source>Conversations cannot be written: %1</source>
        <translation>Gespräche lassen sich nicht schreiben: %1</translation>
    </message>
    <message>
        <source>“%1” was changed by another Lacuna as well. What is here is kept as “%2”, and the other one stays as it is.</source>
        <translation>„%1“ wurde auch von einem anderen Lacuna geändert. Was hier steht, bleibt als „%2“ erhalten, und das andere bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (Kopie)</translation>
    </message>
    <message>
        <source>“%1” was deleted by another Lacuna.</source>
        <translation>„%1“ wurde von einem anderen Lacuna gelöscht.</translation>
    </message>
    <message>
        <source>%1 It was not deleted.</source>
        <translation>%1 Es wurde nicht gelöscht.</translation>
    </message>
    <message>
        <source>A stored conversation cannot be read: %1</source>
        <translation>Ein gespeichertes Gespräch ist nicht lesbar: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) of this conversation are not what was written: they were damaged on disk, and say so.</source>
        <translation>
            <numerusform>%n Nachricht dieses Gesprächs ist nicht, was geschrieben wurde: Sie wurde auf der Platte beschädigt und ist gekennzeichnet.</numerusform>
            <numerusform>%n Nachrichten dieses Gesprächs sind nicht, was geschrieben wurde: Sie wurden auf der Platte beschädigt und sind gekennzeichnet.</numerusform>
        </translation>
    </message>
    <message>
        <source>Conversations cannot be searched: %1</source>
        <translation>Gespräche lassen sich nicht durchsuchen: %1</translation>
    </message>
    <message>
        <source>The search index did not match the stored conversations and was made again.</source>
        <translation>Der Suchindex passte nicht zu den gespeicherten Gesprächen und wurde neu erstellt.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::Download</name>
    <message>
        <source>The folder %1 cannot be made.</source>
        <translation>Der Ordner %1 lässt sich nicht anlegen.</translation>
    </message>
    <message>
        <source>%1 is there already. Nothing is written over: remove it, or choose another folder.</source>
        <translation>%1 ist schon da. Nichts wird überschrieben: entfernen Sie es, oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>%1 are still to come and the disk of %2 has room for %3. What has come is kept; make room, then resume.</source>
        <translation>Noch %1 fehlen, und die Platte von %2 hat Platz für %3. Was gekommen ist, bleibt; schaffen Sie Platz, und setzen Sie dann fort.</translation>
    </message>
    <message>
        <source>What had come before cannot be continued safely, because the server gave no mark to know it by: it is fetched from the start.</source>
        <translation>Was schon da war, lässt sich nicht sicher fortsetzen, weil der Server kein Kennzeichen dafür gab: es wird von vorn geholt.</translation>
    </message>
    <message>
        <source>The part file has become shorter.</source>
        <translation>Die Teildatei ist kürzer geworden.</translation>
    </message>
    <message>
        <source>%1 answers each time in a way that does not fit what was asked for.</source>
        <translation>%1 antwortet jedes Mal so, dass es nicht zur Anfrage passt.</translation>
    </message>
    <message>
        <source>The server has another file now; it is fetched from the start.</source>
        <translation>Der Server hat jetzt eine andere Datei; sie wird von vorn geholt.</translation>
    </message>
    <message>
        <source>The server does not go on where it ended; it is fetched from the start.</source>
        <translation>Der Server macht nicht weiter, wo es endete; es wird von vorn geholt.</translation>
    </message>
    <message>
        <source>%1 sent a web page in place of %2. Does this network ask for a login first?</source>
        <translation>%1 schickte eine Webseite statt %2. Verlangt dieses Netz zuerst eine Anmeldung?</translation>
    </message>
    <message>
        <source>%1 does not say how long %2 is, so nothing could tell whether it is whole.</source>
        <translation>%1 sagt nicht, wie lang %2 ist, also ließe sich nicht erkennen, ob es vollständig ist.</translation>
    </message>
    <message>
        <source>%1 has %2 bytes there, and %3 were announced.</source>
        <translation>%1 hat dort %2 Bytes, und %3 waren angekündigt.</translation>
    </message>
    <message>
        <source>The server sent another part than was asked for; it is fetched from the start.</source>
        <translation>Der Server schickte einen anderen Teil als den erbetenen; es wird von vorn geholt.</translation>
    </message>
    <message>
        <source>%1 sends more than the %2 bytes that it announced of %3.</source>
        <translation>%1 schickt mehr als die %2 Bytes, die es von %3 angekündigt hat.</translation>
    </message>
    <message>
        <source>%1 is no model: %2.</source>
        <translation>%1 ist kein Modell: %2.</translation>
    </message>
    <message>
        <source>%1 ended %2 at %3 of %4 bytes. What has come is kept.</source>
        <translation>%1 beendete %2 bei %3 von %4 Bytes. Was gekommen ist, bleibt.</translation>
    </message>
    <message>
        <source>%1 Trying again.</source>
        <translation>%1 Neuer Versuch.</translation>
    </message>
    <message>
        <source>%1 has the right length and wrong bytes: its SHA-256 is %2 and not %3. It was put aside as %4; resume to fetch it again.</source>
        <translation>%1 hat die richtige Länge und falsche Bytes: sein SHA-256 ist %2 und nicht %3. Es wurde als %4 beiseitegelegt; zum erneuten Holen fortsetzen.</translation>
    </message>
    <message>
        <source>%1 is no model: %2. It was put aside.</source>
        <translation>%1 ist kein Modell: %2. Es wurde beiseitegelegt.</translation>
    </message>
    <message>
        <source>%1 is there already. The model lies in %2.</source>
        <translation>%1 ist schon da. Das Modell liegt in %2.</translation>
    </message>
    <message>
        <source>All there. No digest of all of it was known, so its bytes were not checked against one.</source>
        <translation>Alles da. Es war nicht von allem eine Prüfsumme bekannt, also wurden seine Bytes nicht daran geprüft.</translation>
    </message>
    <message>
        <source>All there, and its SHA-256 is right.</source>
        <translation>Alles da, und der SHA-256 stimmt.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubController</name>
    <message>
        <source>%1 has no GGUF file and no folder of safetensors.</source>
        <translation>%1 hat keine GGUF-Datei und keinen Ordner mit Safetensors.</translation>
    </message>
    <message>
        <source>The repository has no model %1.</source>
        <translation>Das Repository hat kein Modell %1.</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Wählen Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>Choose a folder for models first.</source>
        <translation>Wählen Sie zuerst einen Ordner für Modelle.</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits of 0-9 and a-f.</source>
        <translation>Eine SHA-256-Prüfsumme hat 64 Zeichen aus 0-9 und a-f.</translation>
    </message>
    <message>
        <source>A digest is of one file, and this model has several.</source>
        <translation>Eine Prüfsumme gilt für eine Datei, und dieses Modell hat mehrere.</translation>
    </message>
    <message>
        <source>%1 is on the list already, from elsewhere. Remove that one first.</source>
        <translation>%1 steht schon auf der Liste, von anderswo. Entfernen Sie das zuerst.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubFetch</name>
    <message>
        <source>The certificate of %1 is not one to trust: %2. Is the clock of this machine right?</source>
        <translation>Das Zertifikat von %1 ist nicht vertrauenswürdig: %2. Geht die Uhr dieses Rechners richtig?</translation>
    </message>
    <message>
        <source>%1 is not found. Is this machine connected to the network?</source>
        <translation>%1 wird nicht gefunden. Ist dieser Rechner mit dem Netz verbunden?</translation>
    </message>
    <message>
        <source>Nobody listens at %1.</source>
        <translation>An %1 hört niemand.</translation>
    </message>
    <message>
        <source>%1 sends nothing any more.</source>
        <translation>%1 schickt nichts mehr.</translation>
    </message>
    <message>
        <source>%1 broke the connection off.</source>
        <translation>%1 hat die Verbindung abgebrochen.</translation>
    </message>
    <message>
        <source>%1 is not reached: %2.</source>
        <translation>%1 ist nicht zu erreichen: %2.</translation>
    </message>
    <message>
        <source>This system has no encryption that Qt can use (OpenSSL), and nothing is fetched without it.</source>
        <translation>Dieses System hat keine Verschlüsselung, die Qt nutzen kann (OpenSSL), und ohne sie wird nichts geholt.</translation>
    </message>
    <message>
        <source>%1 sends elsewhere without saying where.</source>
        <translation>%1 verweist anderswohin, ohne zu sagen wohin.</translation>
    </message>
    <message>
        <source>%1 sends on and on, more than %2 times.</source>
        <translation>%1 verweist immer weiter, mehr als %2 Mal.</translation>
    </message>
    <message>
        <source>%1 does not give this to everybody (%2). Accept its terms there with an account of yours, and give the account&apos;s token here.</source>
        <translation>%1 gibt das nicht jedem (%2). Nehmen Sie dort mit einem Konto die Bedingungen an, und geben Sie hier das Token des Kontos an.</translation>
    </message>
    <message>
        <source>%1 has nothing of that name (%2).</source>
        <translation>%1 hat nichts unter diesem Namen (%2).</translation>
    </message>
    <message>
        <source>%1 was asked too often. Resume in %2 s.</source>
        <translation>%1 wurde zu oft gefragt. In %2 s fortsetzen.</translation>
    </message>
    <message>
        <source>%1 was asked too often. Resume in a while.</source>
        <translation>%1 wurde zu oft gefragt. Später fortsetzen.</translation>
    </message>
    <message>
        <source>%1 answers with status %2.</source>
        <translation>%1 antwortet mit Status %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubLister</name>
    <message>
        <source>The list of files has more than %1; it is not read.</source>
        <translation>Die Dateiliste hat mehr als %1; sie wird nicht gelesen.</translation>
    </message>
    <message>
        <source>The list of files does not end.</source>
        <translation>Die Dateiliste hört nicht auf.</translation>
    </message>
    <message>
        <source>The list of files goes on at another host (%1); that is not followed.</source>
        <translation>Die Dateiliste geht auf einem anderen Rechner weiter (%1); dem wird nicht gefolgt.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::MeasurementController</name>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>A comparison is running.</source>
        <translation>Ein Vergleich läuft.</translation>
    </message>
    <message>
        <source>A sweep is running.</source>
        <translation>Eine Messreihe läuft.</translation>
    </message>
    <message>
        <source>%1 has a setting that was refused: %2</source>
        <translation>%1 hat eine Einstellung, die abgelehnt wurde: %2</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>There is no question yet: write one, or ask one in the conversation.</source>
        <translation>Es gibt noch keine Frage: Schreiben Sie eine oder stellen Sie eine im Gespräch.</translation>
    </message>
    <message>
        <source>Attention matching, budgets of the heads as in force</source>
        <translation>Attention Matching, Budgets der Köpfe wie eingestellt</translation>
    </message>
    <message>
        <source>Attention matching, every head alike</source>
        <translation>Attention Matching, alle Köpfe gleich</translation>
    </message>
    <message>
        <source>Evict keys most like the others</source>
        <translation>Schlüssel verdrängen, die den anderen am ähnlichsten sind</translation>
    </message>
    <message>
        <source>Keep keys of low norm</source>
        <translation>Schlüssel mit niedriger Norm behalten</translation>
    </message>
    <message>
        <source>Keep keys of high norm</source>
        <translation>Schlüssel mit hoher Norm behalten</translation>
    </message>
    <message>
        <source>Keep the newest only</source>
        <translation>Nur die neuesten behalten</translation>
    </message>
    <message>
        <source>Keep any: what choosing is worth</source>
        <translation>Beliebige behalten: was das Auswählen wert ist</translation>
    </message>
    <message>
        <source>Attention matching, heads alike</source>
        <translation>Attention Matching, alle Köpfe gleich</translation>
    </message>
</context>
<context>
    <name>lacuna::app::MemoryController</name>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>the same text</source>
        <translation>derselbe Text</translation>
    </message>
    <message>
        <source>the beginning of a longer text</source>
        <translation>der Anfang eines längeren Textes</translation>
    </message>
    <message>
        <source>a text that goes on differently</source>
        <translation>ein Text, der anders weitergeht</translation>
    </message>
    <message>
        <source>a shorter text that it begins with</source>
        <translation>ein kürzerer Text, mit dem er beginnt</translation>
    </message>
    <message>
        <source>nothing begins alike</source>
        <translation>nichts beginnt gleich</translation>
    </message>
    <message>
        <source>the conversation has as much itself</source>
        <translation>das Gespräch hat selbst so viel</translation>
    </message>
    <message>
        <source>too few tokens in common</source>
        <translation>zu wenige gemeinsame Token</translation>
    </message>
    <message>
        <source>what begins alike cannot be cut back so far</source>
        <translation>was gleich beginnt, lässt sich nicht so weit zurückschneiden</translation>
    </message>
    <message>
        <source>reading it is predicted to be slower than computing</source>
        <translation>das Lesen ist voraussichtlich langsamer als das Rechnen</translation>
    </message>
    <message>
        <source>it is damaged or gone, or there was no memory</source>
        <translation>es ist beschädigt oder weg, oder es fehlte Speicher</translation>
    </message>
    <message>
        <source>reading %1, computing %2</source>
        <translation>Lesen %1, Rechnen %2</translation>
    </message>
    <message>
        <source>one of the two was never measured here</source>
        <translation>eines von beiden wurde hier noch nie gemessen</translation>
    </message>
    <message>
        <source>%1 tokens read in %2</source>
        <translation>%1 Token gelesen in %2</translation>
    </message>
    <message>
        <source>%1 tokens not read</source>
        <translation>%1 Token nicht gelesen</translation>
    </message>
    <message>
        <source>Newest decision: %1; predicted: %2.</source>
        <translation>Neueste Entscheidung: %1; vorhergesagt: %2.</translation>
    </message>
    <message>
        <source>%1 wait to be written.</source>
        <translation>%1 warten aufs Schreiben.</translation>
    </message>
    <message>
        <source>%1 damaged pages were put aside.</source>
        <translation>%1 beschädigte Seiten wurden beiseitegelegt.</translation>
    </message>
    <message>
        <source>from what is stored: %1</source>
        <translation>aus dem Aufbewahrten: %1</translation>
    </message>
    <message>
        <source>from its own cache</source>
        <translation>aus dem eigenen Cache</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelController</name>
    <message>
        <source>The model that ships with Lacuna was not found; looked in %1. Load another one.</source>
        <translation>Das mitgelieferte Modell wurde nicht gefunden; gesucht wurde in %1. Laden Sie ein anderes.</translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation>Das Modell wird geladen.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>%1 The model loaded before stays in use.</source>
        <translation>%1 Das zuvor geladene Modell bleibt in Gebrauch.</translation>
    </message>
    <message>
        <source>Its heads were measured without a task, in %1 s.</source>
        <translation>Seine Köpfe wurden ohne Aufgabe gemessen, in %1 s.</translation>
    </message>
    <message>
        <source>Its heads were measured without a task.</source>
        <translation>Seine Köpfe wurden ohne Aufgabe gemessen.</translation>
    </message>
    <message>
        <source>Until its heads are measured, slots are divided by their copy scores.</source>
        <translation>Bis seine Köpfe gemessen sind, werden Slots nach deren Kopierwerten verteilt.</translation>
    </message>
    <message>
        <source>Its heads were measured with questions (bench).</source>
        <translation>Seine Köpfe wurden mit Fragen gemessen (Bench).</translation>
    </message>
    <message>
        <source>Its surrogate was fitted in %1 s: it foretells which tokens are needed.</source>
        <translation>Sein Surrogat wurde in %1 s angepasst: Es sagt voraus, welche Token gebraucht werden.</translation>
    </message>
    <message>
        <source>It has a surrogate, which foretells which tokens are needed.</source>
        <translation>Es hat ein Surrogat, das voraussagt, welche Token gebraucht werden.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelJobs</name>
    <message>
        <source>Calibrating %1: %2</source>
        <translation>Kalibrierung von %1: %2</translation>
    </message>
    <message>
        <source>Converting %1 to %2</source>
        <translation>Umwandlung von %1 in %2</translation>
    </message>
    <message>
        <source>Quantising %1 to %2</source>
        <translation>Quantisierung von %1 in %2</translation>
    </message>
    <message>
        <source>Done. It counts once the model is loaded again.</source>
        <translation>Fertig. Es gilt, sobald das Modell neu geladen ist.</translation>
    </message>
    <message>
        <source>Written to %1, %2.</source>
        <translation>Nach %1 geschrieben, %2.</translation>
    </message>
    <message>
        <source>Stopped; nothing was kept of it.</source>
        <translation>Angehalten; nichts davon wurde behalten.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelLibrary</name>
    <message>
        <source>It is not there any more.</source>
        <translation>Es ist nicht mehr da.</translation>
    </message>
    <message>
        <source>%1 layers x %2</source>
        <translation>%1 Schichten x %2</translation>
    </message>
    <message>
        <source>%1 does not lie in the folder of downloads, so it is not deleted here.</source>
        <translation>%1 liegt nicht im Ordner der Downloads, also wird es hier nicht gelöscht.</translation>
    </message>
    <message>
        <source>%1 cannot be deleted.</source>
        <translation>%1 lässt sich nicht löschen.</translation>
    </message>
    <message>
        <source>%1 was not loaded again, because the program ended while it was read last time. Load it from the page Models.</source>
        <translation>%1 wurde nicht wieder geladen, weil das Programm beim letzten Mal während des Lesens endete. Laden Sie es von der Seite Modelle.</translation>
    </message>
    <message>
        <source>%1 was not loaded again: it is not there any more. The model that ships with Lacuna answers.</source>
        <translation>%1 wurde nicht wieder geladen: es ist nicht mehr da. Das mitgelieferte Modell antwortet.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ChildProgram</name>
    <message>
        <source>%1 cannot be started: %2.</source>
        <translation>%1 lässt sich nicht starten: %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProfileController</name>
    <message>
        <source>%1 bits a number</source>
        <translation>%1 Bit je Zahl</translation>
    </message>
    <message>
        <source>recall %1 of %2</source>
        <translation>Recall %1 von %2</translation>
    </message>
    <message>
        <source>divergence %1 nats</source>
        <translation>Abweichung %1 Nats</translation>
    </message>
    <message>
        <source>%1 of the speed of 16 bits</source>
        <translation>%1 der Geschwindigkeit von 16 Bit</translation>
    </message>
    <message>
        <source>the rest not measured on this model</source>
        <translation>der Rest auf diesem Modell nicht gemessen</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>Auf diesem Modell nicht gemessen.</translation>
    </message>
    <message>
        <source>Load a model first: what it sets depends on the model.</source>
        <translation>Laden Sie zuerst ein Modell: Was es einstellt, hängt vom Modell ab.</translation>
    </message>
    <message>
        <source>Your own.</source>
        <translation>Ihr eigenes.</translation>
    </message>
    <message>
        <source>Your own, saved with %1.</source>
        <translation>Ihr eigenes, gespeichert mit %1.</translation>
    </message>
    <message>
        <source>A profile needs a name.</source>
        <translation>Ein Profil braucht einen Namen.</translation>
    </message>
    <message>
        <source>A name has at most %1 signs.</source>
        <translation>Ein Name hat höchstens %1 Zeichen.</translation>
    </message>
    <message>
        <source>%1 is a profile of the program; take another name.</source>
        <translation>%1 ist ein Profil des Programms; nehmen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is no profile %1.</source>
        <translation>Es gibt kein Profil %1.</translation>
    </message>
    <message>
        <source>There is a profile %1 already.</source>
        <translation>Es gibt bereits ein Profil %1.</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProgramLog</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>Schwere</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>lacuna::app::QualityController</name>
    <message>
        <source>recall %1 of %2</source>
        <translation>Recall %1 von %2</translation>
    </message>
    <message>
        <source>RULER %1 %</source>
        <translation>RULER %1 %</translation>
    </message>
    <message>
        <source>mean KL %1</source>
        <translation>mittlere KL %1</translation>
    </message>
    <message>
        <source>on this machine</source>
        <translation>auf diesem Rechner</translation>
    </message>
    <message>
        <source>on another machine, %1</source>
        <translation>auf einem anderen Rechner, %1</translation>
    </message>
    <message>
        <source>measured %1 %2</source>
        <translation>gemessen am %1 %2</translation>
    </message>
    <message>
        <source>, %1 of %2 so far</source>
        <translation>, bisher %1 von %2</translation>
    </message>
    <message>
        <source>, few texts</source>
        <translation>, wenige Texte</translation>
    </message>
    <message>
        <source>%1, %2, precision %3. %4.</source>
        <translation>%1, %2, Genauigkeit %3. %4.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>The quality of this model is being measured.</source>
        <translation>Die Qualität dieses Modells wird gemessen.</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>Auf diesem Modell nicht gemessen.</translation>
    </message>
    <message>
        <source>at %1 %2</source>
        <translation>bei %1 %2</translation>
    </message>
    <message>
        <source>%1 here, %2.</source>
        <translation>%1, %2.</translation>
    </message>
    <message>
        <source>No damage: the others are measured against 16 bits.</source>
        <translation>Kein Schaden: Die anderen werden gegen 16 Bit gemessen.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>Damage not measured, and too few others are to predict it. Squared error of the codes alone: keys %1, values %2.</source>
        <translation>Schaden nicht gemessen, und zu wenige andere sind es, um ihn vorherzusagen. Quadratischer Fehler der Codes allein: Schlüssel %1, Werte %2.</translation>
    </message>
    <message>
        <source>below</source>
        <translation>unter</translation>
    </message>
    <message>
        <source>not below</source>
        <translation>nicht unter</translation>
    </message>
    <message>
        <source>Mean KL %1, measured on this model; %2 the bound of %3.</source>
        <translation>Mittlere KL %1, auf diesem Modell gemessen; %2 der Schranke von %3.</translation>
    </message>
    <message>
        <source>Mean KL about %1, predicted from %2 pairs measured on this model; %3 the bound of %4.</source>
        <translation>Mittlere KL etwa %1, vorhergesagt aus %2 auf diesem Modell gemessenen Paaren; %3 der Schranke von %4.</translation>
    </message>
    <message>
        <source>Measured.</source>
        <translation>Gemessen.</translation>
    </message>
    <message>
        <source>Stopped at %1 of %2; what was measured is kept.</source>
        <translation>Angehalten bei %1 von %2; was gemessen wurde, bleibt erhalten.</translation>
    </message>
    <message>
        <source>Stopped before anything was measured.</source>
        <translation>Angehalten, bevor etwas gemessen wurde.</translation>
    </message>
    <message>
        <source>The small quality table that is kept of this model cannot be used: %1.</source>
        <translation>Die kleine Qualitätstabelle, die zu diesem Modell gespeichert ist, ist nicht verwendbar: %1.</translation>
    </message>
    <message>
        <source>The whole quality table that is kept of this model cannot be used: %1.</source>
        <translation>Die vollständige Qualitätstabelle, die zu diesem Modell gespeichert ist, ist nicht verwendbar: %1.</translation>
    </message>
    <message>
        <source>The table of cache formats that is kept of this model cannot be used: %1.</source>
        <translation>Die Tabelle der Cache-Formate, die zu diesem Modell gespeichert ist, ist nicht verwendbar: %1.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RecordingController</name>
    <message>
        <source>Replayed: every word came out again, %1 answers with %2 tokens.</source>
        <translation>Wiederholt: Jedes Wort kam wieder heraus, %1 Antworten mit %2 Token.</translation>
    </message>
    <message>
        <source>Replayed: diverged at token %1 of answer %2.</source>
        <translation>Wiederholt: abgewichen bei Token %1 der Antwort %2.</translation>
    </message>
    <message>
        <source>It was “%1”, and now came “%2”.</source>
        <translation>Es war „%1“, und jetzt kam „%2“.</translation>
    </message>
    <message>
        <source>%1 cannot be opened: %2</source>
        <translation>%1 lässt sich nicht öffnen: %2</translation>
    </message>
    <message>
        <source>The replay was stopped.</source>
        <translation>Die Wiederholung wurde abgebrochen.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteChat</name>
    <message>
        <source>The engine broke the answer off. It says: “%1”</source>
        <translation>Die Engine hat die Antwort abgebrochen. Sie sagt: „%1“</translation>
    </message>
    <message>
        <source>The stream broke off before the answer&apos;s end.</source>
        <translation>Der Strom brach vor dem Ende der Antwort ab.</translation>
    </message>
    <message>
        <source>The engine says that the answer failed.</source>
        <translation>Die Engine sagt, dass die Antwort gescheitert ist.</translation>
    </message>
    <message>
        <source>it has more than %1.</source>
        <translation>sie hat mehr als %1.</translation>
    </message>
    <message>
        <source>an event of more than %1.</source>
        <translation>ein Ereignis von mehr als %1.</translation>
    </message>
    <message>
        <source>more than %1 came without any text.</source>
        <translation>mehr als %1 kam ohne Text.</translation>
    </message>
    <message>
        <source>The answer has more than %1 of text and was ended here.</source>
        <translation>Die Antwort hat mehr als %1 Text und wurde hier beendet.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteClient</name>
    <message>
        <source>it has more than %1.</source>
        <translation>sie hat mehr als %1.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteController</name>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 Tok/s</translation>
    </message>
    <message>
        <source>%1 / s</source>
        <translation>%1 / s</translation>
    </message>
    <message>
        <source>%1 with LMCache</source>
        <translation>%1 mit LMCache</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>prompt %1 tokens</source>
        <translation>Prompt %1 Token</translation>
    </message>
    <message>
        <source>%1 written</source>
        <translation>%1 geschrieben</translation>
    </message>
    <message>
        <source>room for %1</source>
        <translation>Platz für %1</translation>
    </message>
    <message>
        <source>The key goes over the network unencrypted (http).</source>
        <translation>Der Schlüssel geht unverschlüsselt über das Netz (http).</translation>
    </message>
    <message>
        <source>The engine answers, but has no model loaded.</source>
        <translation>Die Engine antwortet, hat aber kein Modell geladen.</translation>
    </message>
    <message>
        <source>The engine answers, with the model %1.</source>
        <translation>Die Engine antwortet, mit dem Modell %1.</translation>
    </message>
    <message>
        <source>The engine answers, with %1 models, %2 the first.</source>
        <translation>Die Engine antwortet, mit %1 Modellen, %2 als erstem.</translation>
    </message>
    <message>
        <source>It shows no metrics, so that the charts stay empty.</source>
        <translation>Sie zeigt keine Kennzahlen, die Diagramme bleiben daher leer.</translation>
    </message>
    <message>
        <source>Its metrics are not understood, so that the charts stay empty.</source>
        <translation>Ihre Kennzahlen sind unverständlich, die Diagramme bleiben daher leer.</translation>
    </message>
    <message>
        <source>Its metrics have none of the names that are known here.</source>
        <translation>Ihre Kennzahlen haben keinen der hier bekannten Namen.</translation>
    </message>
    <message>
        <source>Its metrics are those of %1: %2 figures.</source>
        <translation>Ihre Kennzahlen sind die von %1: %2 Werte.</translation>
    </message>
    <message>
        <source>Answers come from %1 now.</source>
        <translation>Antworten kommen jetzt von %1.</translation>
    </message>
    <message>
        <source>%1: done.</source>
        <translation>%1: fertig.</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message>
        <source>Saved. %1</source>
        <translation>Gespeichert. %1</translation>
    </message>
    <message>
        <source>There is no such engine in the list.</source>
        <translation>Eine solche Engine steht nicht in der Liste.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteExchange</name>
    <message>
        <source>Nothing has come for %1 s before the answer&apos;s end.</source>
        <translation>%1 s lang kam nichts, und die Antwort war nicht zu Ende.</translation>
    </message>
    <message>
        <source>The answer was not complete after %1 s.</source>
        <translation>Die Antwort war nach %1 s nicht vollständig.</translation>
    </message>
    <message>
        <source>the head of its answer has more than %1.</source>
        <translation>der Kopf der Antwort hat mehr als %1.</translation>
    </message>
    <message>
        <source>it is not HTTP/1.1.</source>
        <translation>sie ist kein HTTP/1.1.</translation>
    </message>
    <message>
        <source>it is compressed, which was not asked for.</source>
        <translation>sie ist komprimiert, was nicht verlangt war.</translation>
    </message>
    <message>
        <source>it has two lengths.</source>
        <translation>sie hat zwei Längenangaben.</translation>
    </message>
    <message>
        <source>its length cannot be read.</source>
        <translation>ihre Länge ist nicht lesbar.</translation>
    </message>
    <message>
        <source>the lengths of its parts cannot be read.</source>
        <translation>die Längen ihrer Teile sind nicht lesbar.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteMonitor</name>
    <message>
        <source>It shows no metrics: %1</source>
        <translation>Sie zeigt keine Kennzahlen: %1</translation>
    </message>
    <message>
        <source>Its metrics are not understood: %1</source>
        <translation>Ihre Kennzahlen sind unverständlich: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ReportController</name>
    <message>
        <source>A report is being written; wait until it is done.</source>
        <translation>Ein Bericht wird geschrieben; warten Sie, bis er fertig ist.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SecretService</name>
    <message>
        <source>The keyring says: %1.</source>
        <translation>Der Schlüsselbund sagt: %1.</translation>
    </message>
    <message>
        <source>The keyring was not unlocked.</source>
        <translation>Der Schlüsselbund wurde nicht entsperrt.</translation>
    </message>
    <message>
        <source>The keyring has no collection yet.</source>
        <translation>Der Schlüsselbund hat noch keine Sammlung.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ServerController</name>
    <message>
        <source>This program was built without its server.</source>
        <translation>Dieses Programm wurde ohne seinen Server gebaut.</translation>
    </message>
    <message>
        <source>The settings of the server were not kept: %1</source>
        <translation>Die Einstellungen des Servers wurden nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>The server is on at %1.</source>
        <translation>Der Server läuft unter %1.</translation>
    </message>
    <message>
        <source>The server is off.</source>
        <translation>Der Server ist aus.</translation>
    </message>
    <message>
        <source>The server is off: %1</source>
        <translation>Der Server ist aus: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SessionFeed</name>
    <message>
        <source>budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>verlangt</translation>
    </message>
    <message>
        <source>settings changed</source>
        <translation>Einstellungen geändert</translation>
    </message>
    <message>
        <source>cache limit reached</source>
        <translation>Cache-Grenze erreicht</translation>
    </message>
    <message>
        <source>tokens brought back</source>
        <translation>Token zurückgeholt</translation>
    </message>
    <message>
        <source>Compaction %1</source>
        <translation>Verdichtung %1</translation>
    </message>
    <message>
        <source>%1 skipped: %2</source>
        <translation>%1 ausgelassen: %2</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1 fehlgeschlagen: %2</translation>
    </message>
    <message>
        <source>%1 started in the background, not finished</source>
        <translation>%1 im Hintergrund begonnen, nicht beendet</translation>
    </message>
    <message>
        <source>Cause: %1; method %2; at %3 tokens.</source>
        <translation>Ursache: %1; Methode %2; bei %3 Token.</translation>
    </message>
    <message>
        <source>Live bytes %1 to %2.</source>
        <translation>Belegte Bytes %1 auf %2.</translation>
    </message>
    <message>
        <source>Score %1, select %2, fit %3, apply %4.</source>
        <translation>Bewerten %1, Auswählen %2, Anpassen %3, Anwenden %4.</translation>
    </message>
    <message>
        <source>Reading for its queries %1.</source>
        <translation>Lesen für ihre Abfragen %1.</translation>
    </message>
    <message>
        <source>Output error on held-out queries: %1.</source>
        <translation>Ausgabefehler auf zurückgehaltenen Abfragen: %1.</translation>
    </message>
    <message>
        <source>Compression idle: nothing is cached yet.</source>
        <translation>Kompression ruht: Noch ist nichts im Cache.</translation>
    </message>
    <message>
        <source>Compression %1</source>
        <translation>Kompression %1</translation>
    </message>
    <message>
        <source>one conversation has cache settings of its own</source>
        <translation>ein Gespräch hat eigene Cache-Einstellungen</translation>
    </message>
    <message>
        <source>one conversation has the cache settings of all again</source>
        <translation>ein Gespräch hat wieder die Cache-Einstellungen aller</translation>
    </message>
    <message>
        <source>for one conversation</source>
        <translation>für ein Gespräch</translation>
    </message>
    <message>
        <source>Model %1 loaded in %2</source>
        <translation>Modell %1 geladen in %2</translation>
    </message>
    <message>
        <source>%1 parameters, %2 of weights, %3 layers, %4 query and %5 key heads, context %6.
%7</source>
        <translation>%1 Parameter, %2 Gewichte, %3 Schichten, %4 Abfrage- und %5 Schlüsselköpfe, Kontext %6.
%7</translation>
    </message>
    <message>
        <source>Model not loaded: %1</source>
        <translation>Modell nicht geladen: %1</translation>
    </message>
    <message>
        <source>Model unloaded</source>
        <translation>Modell entladen</translation>
    </message>
    <message>
        <source>Answer %1 started: %2 prompt tokens, %3 already cached</source>
        <translation>Antwort %1 begonnen: %2 Prompt-Token, %3 schon im Cache</translation>
    </message>
    <message>
        <source>It begins from what the prefix cache keeps.</source>
        <translation>Sie beginnt mit dem, was der Präfix-Cache aufbewahrt.</translation>
    </message>
    <message>
        <source>A waiting question was taken back</source>
        <translation>Eine wartende Frage wurde zurückgenommen</translation>
    </message>
    <message>
        <source>Answer %1 ended (%2): %3 tokens</source>
        <translation>Antwort %1 beendet (%2): %3 Token</translation>
    </message>
    <message>
        <source>Settings %1 applied: %2</source>
        <translation>Einstellungen %1 angewandt: %2</translation>
    </message>
    <message>
        <source>nothing changed</source>
        <translation>nichts geändert</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>zurückgenommen</translation>
    </message>
    <message>
        <source>Settings %1 rejected, %2: %3</source>
        <translation>Einstellungen %1 abgelehnt, %2: %3</translation>
    </message>
    <message>
        <source>The engine stopped: %1</source>
        <translation>Die Engine ist stehen geblieben: %1</translation>
    </message>
    <message>
        <source>Not brought back: %1</source>
        <translation>Nicht zurückgeholt: %1</translation>
    </message>
    <message>
        <source>Bringing %1 tokens back; %2 tokens of the text are read again.</source>
        <translation>%1 Token werden zurückgeholt; %2 Token des Textes werden neu gelesen.</translation>
    </message>
    <message>
        <source>Brought %1 tokens back in %2; %3 were read again. Compactions now leave %4 tokens of this conversation (%5) as they are.</source>
        <translation>%1 Token in %2 zurückgeholt; %3 wurden neu gelesen. Verdichtungen lassen jetzt %4 Token dieses Gesprächs (%5), wie sie sind.</translation>
    </message>
    <message>
        <source>The report was written before this answer ended.</source>
        <translation>Der Bericht wurde geschrieben, bevor diese Antwort endete.</translation>
    </message>
    <message>
        <source>Compactions until then: %1</source>
        <translation>Verdichtungen bis dahin: %1</translation>
    </message>
    <message>
        <source>Compression was off.</source>
        <translation>Die Kompression war aus.</translation>
    </message>
    <message>
        <source>This report does not say at which step words came; answers are shown in proportion to their tokens.</source>
        <translation>Dieser Bericht sagt nicht, bei welchem Schritt Wörter kamen; Antworten werden anteilig nach Token gezeigt.</translation>
    </message>
    <message>
        <source>It does not say what the cache held; words are not tinted.</source>
        <translation>Er sagt nicht, was der Cache hielt; Wörter sind nicht getönt.</translation>
    </message>
    <message>
        <source>What this question looks for was not brought back: %1</source>
        <translation>Was diese Frage sucht, wurde nicht zurückgeholt: %1</translation>
    </message>
    <message>
        <source>This question looks for nothing that was forgotten (%1)</source>
        <translation>Diese Frage sucht nichts, was vergessen wurde (%1)</translation>
    </message>
    <message>
        <source>This question looks for %1 tokens that were forgotten.</source>
        <translation>Diese Frage sucht %1 Token, die vergessen wurden.</translation>
    </message>
    <message>
        <source>%1 tokens came back for this question in %2. Compactions now leave %3 tokens of this conversation (%4) as they are.</source>
        <translation>%1 Token kamen für diese Frage in %2 zurück. Verdichtungen lassen nun %3 Token dieses Gesprächs (%4), wie sie sind.</translation>
    </message>
    <message>
        <source>Settings %1 not applied: %2</source>
        <translation>Einstellungen %1 nicht angewandt: %2</translation>
    </message>
    <message>
        <source>The cache stays in %1: %2.</source>
        <translation>Der Cache bleibt in %1: %2.</translation>
    </message>
    <message>
        <source>The cache went from %1 to %2.</source>
        <translation>Der Cache ging von %1 zu %2 über.</translation>
    </message>
    <message>
        <source>%1 done in %2 beside the talk, pause %3: %4 to %5 slots in all heads</source>
        <translation>%1 in %2 neben dem Gespräch fertig, Pause %3: %4 auf %5 Slots in allen Köpfen</translation>
    </message>
    <message>
        <source>%1 done in %2: %3 to %4 slots in all heads</source>
        <translation>%1 in %2 fertig: %3 auf %4 Slots in allen Köpfen</translation>
    </message>
    <message>
        <source>The cache holds %1 in %2 slots of all heads until it is finished; what it came to is told then, under the same number.</source>
        <translation>Der Cache hält bis dahin %1 in %2 Slots aller Köpfe; was herauskam, steht dann unter derselben Nummer.</translation>
    </message>
    <message>
        <source>Compression off: no method is chosen. Moving the AM ratio or the budget turns it on.</source>
        <translation>Kompression aus: keine Methode gewählt. AM-Verhältnis oder Budget verschieben schaltet sie ein.</translation>
    </message>
    <message>
        <source>%1 cancelled: %2</source>
        <translation>%1 abgebrochen: %2</translation>
    </message>
    <message>
        <source>Asked for %1x, achieved %2x.</source>
        <translation>Verlangt %1x, erreicht %2x.</translation>
    </message>
    <message>
        <source>%1 limited: %2x smaller asked for, %3x achieved</source>
        <translation>%1 begrenzt: %2x kleiner verlangt, %3x erreicht</translation>
    </message>
    <message>
        <source>%1 of the text&apos;s information kept; weakest passage %2.</source>
        <translation>%1 der Information des Textes erhalten; schwächste Passage %2.</translation>
    </message>
    <message>
        <source>KL mean %1, p99 %2 nats; same likeliest token at %3 of positions.</source>
        <translation>KL im Mittel %1, p99 %2 Nats; gleicher wahrscheinlichster Token an %3 der Positionen.</translation>
    </message>
    <message>
        <source>Pause %1, work %2.</source>
        <translation>Pause %1, Arbeit %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::TextFiles</name>
    <message>
        <source>%1 is not a text in UTF-8 or UTF-16.</source>
        <translation>%1 ist kein Text in UTF-8 oder UTF-16.</translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation>Es gibt keine Datei %1.</translation>
    </message>
    <message>
        <source>%1 is not a file.</source>
        <translation>%1 ist keine Datei.</translation>
    </message>
    <message>
        <source>%1 has %2; a file of at most %3 can be attached.</source>
        <translation>%1 hat %2; angehängt werden kann eine Datei von höchstens %3.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1 ist leer.</translation>
    </message>
    <message>
        <source>%1 is damaged, or no PDF: it cannot be read.</source>
        <translation>%1 ist beschädigt oder kein PDF: es lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>%1 is encrypted and opens with a password only. Save it without one first.</source>
        <translation>%1 ist verschlüsselt und öffnet sich nur mit einem Passwort. Speichern Sie es zuerst ohne.</translation>
    </message>
    <message>
        <source>%1 has more than %2 characters of text, which is more than can be attached.</source>
        <translation>%1 hat mehr als %2 Zeichen Text; das ist mehr, als angehängt werden kann.</translation>
    </message>
    <message>
        <source>%1 has no text: its pages (%2) are pictures, as of a scan. Have its words recognised first, for example with ocrmypdf.</source>
        <translation>%1 hat keinen Text: seine Seiten (%2) sind Bilder, wie von einem Scan. Lassen Sie die Wörter zuerst erkennen, zum Beispiel mit ocrmypdf.</translation>
    </message>
    <message>
        <source>%1 of the %2 pages of %3 are pictures without text and were left out.</source>
        <translation>%1 der %2 Seiten von %3 sind Bilder ohne Text und wurden ausgelassen.</translation>
    </message>
    <message>
        <source>%1 was not read, because no process for it can be started: %2.</source>
        <translation>%1 wurde nicht gelesen, weil kein Prozess dafür gestartet werden kann: %2.</translation>
    </message>
    <message>
        <source>Reading %1 was cancelled.</source>
        <translation>Das Lesen von %1 wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 was not read: its text was not there after %2 s.</source>
        <translation>%1 wurde nicht gelesen: Der Text lag nach %2 s nicht vor.</translation>
    </message>
    <message>
        <source>%1 was not read: its text takes more than %2 s of computing.</source>
        <translation>%1 wurde nicht gelesen: Der Text braucht mehr als %2 s Rechenzeit.</translation>
    </message>
    <message>
        <source>%1 was not read: its text takes more than %2 of memory.</source>
        <translation>%1 wurde nicht gelesen: Der Text braucht mehr als %2 Speicher.</translation>
    </message>
    <message>
        <source>%1 was not read: it makes the reader of PDFs crash. It is damaged, or made to do that.</source>
        <translation>%1 wurde nicht gelesen: Die Datei bringt den PDF-Leser zum Absturz. Sie ist beschädigt oder dafür gemacht.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ActionRegistry</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Session</source>
        <translation>&amp;Sitzung</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>&amp;Werkzeuge</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AnswerAlert</name>
    <message>
        <source>An answer has ended</source>
        <translation>Eine Antwort ist zu Ende</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::BranchSwitch</name>
    <message>
        <source>Show the branch before (Alt+Left)</source>
        <translation>Den Zweig davor zeigen (Alt+Links)</translation>
    </message>
    <message>
        <source>Show the next branch (Alt+Right)</source>
        <translation>Den nächsten Zweig zeigen (Alt+Rechts)</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Branch %1 of %2: what was edited or answered again stays.</source>
        <translation>Zweig %1 von %2: was bearbeitet oder neu beantwortet wurde, bleibt.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ChartTablePage</name>
    <message>
        <source>%1 as a table</source>
        <translation>%1 als Tabelle</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ChatView</name>
    <message>
        <source>Conversation</source>
        <translation>Gespräch</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Befehl eingeben</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Type a few letters, choose with the arrows, run with Enter.</source>
        <translation>Ein paar Buchstaben tippen, mit den Pfeilen wählen, mit Eingabe ausführen.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CompareWindow</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Compare two settings</source>
        <translation>Zwei Einstellungen vergleichen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>The last question of the conversation. Write another here to ask it instead.</source>
        <translation>Die letzte Frage des Gesprächs. Schreiben Sie hier eine andere, um stattdessen sie zu stellen.</translation>
    </message>
    <message>
        <source>Question for both sides</source>
        <translation>Frage für beide Seiten</translation>
    </message>
    <message>
        <source>One question, answered under A and then under B; what it cost and what was lost stands here at the end.</source>
        <translation>Eine Frage, beantwortet unter A und dann unter B; was es gekostet hat und was verloren ging, steht am Ende hier.</translation>
    </message>
    <message>
        <source>What each cost and lost</source>
        <translation>Was jede Seite gekostet und verloren hat</translation>
    </message>
    <message>
        <source>The answer under %1 appears here.</source>
        <translation>Die Antwort unter %1 erscheint hier.</translation>
    </message>
    <message>
        <source>Answer under %1</source>
        <translation>Antwort unter %1</translation>
    </message>
    <message>
        <source>A answers first, then B. The figures come with the end of both.</source>
        <translation>Erst antwortet A, dann B. Die Zahlen kommen, wenn beide fertig sind.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Use %1&apos;s settings</source>
        <translation>Einstellungen von %1 nehmen</translation>
    </message>
    <message>
        <source>Bring method, ratio, budget and cache type of this side into force for the conversations of the window.</source>
        <translation>Methode, Verhältnis, Budget und Cache-Typ dieser Seite für die Gespräche des Fensters in Kraft setzen.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextFullDialog</name>
    <message>
        <source>The context is full</source>
        <translation>Der Kontext ist voll</translation>
    </message>
    <message>
        <source>Go on without the older half</source>
        <translation>Ohne die ältere Hälfte weiter</translation>
    </message>
    <message>
        <source>The oldest tokens leave the cache whenever it is full; the first few stay. The model forgets them, the page keeps them. Compression is switched off.</source>
        <translation>Die ältesten Token verlassen den Cache, sooft er voll ist; die ersten paar bleiben. Das Modell vergisst sie, die Seite behält sie. Die Kompression wird ausgeschaltet.</translation>
    </message>
    <message>
        <source>Raise the context to %1 tokens</source>
        <translation>Kontext auf %1 Token vergrößern</translation>
    </message>
    <message>
        <source>As much as the model was made for. Nothing is forgotten; the cache grows with the text.</source>
        <translation>So viel, wie das Modell gelernt hat. Nichts wird vergessen; der Cache wächst mit dem Text.</translation>
    </message>
    <message>
        <source>New conversation with the newer half</source>
        <translation>Neues Gespräch mit der neueren Hälfte</translation>
    </message>
    <message>
        <source>The older messages stay in this conversation and are not told to the model there.</source>
        <translation>Die älteren Nachrichten bleiben in diesem Gespräch und werden dem Modell dort nicht mitgeteilt.</translation>
    </message>
    <message>
        <source>Compacting makes no room here: it saves memory, but the context counts the tokens of the text.</source>
        <translation>Verdichten schafft hier keinen Platz: Es spart Speicher, aber der Kontext zählt die Token des Textes.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextMeter</name>
    <message>
        <source>Context meter</source>
        <translation>Kontextanzeige</translation>
    </message>
    <message>
        <source>Context in use. Dark: slots that hold it after compaction, mean over all heads. Thin line: prompt read so far.</source>
        <translation>Belegter Kontext. Dunkel: Slots, die ihn nach der Verdichtung halten, Mittel über alle Köpfe. Dünne Linie: bisher gelesener Prompt.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextStrip</name>
    <message>
        <source>Context: not reported yet</source>
        <translation>Kontext: noch nicht gemeldet</translation>
    </message>
    <message>
        <source>Context %1 / %2 tokens</source>
        <translation>Kontext %1 / %2 Token</translation>
    </message>
    <message>
        <source>Context %1 tokens</source>
        <translation>Kontext %1 Token</translation>
    </message>
    <message>
        <source>Context: no model</source>
        <translation>Kontext: kein Modell</translation>
    </message>
    <message>
        <source>Reading prompt %1 / %2 tokens</source>
        <translation>Prompt wird gelesen, %1 / %2 Token</translation>
    </message>
    <message>
        <source>, %1 tok/s, %2 left</source>
        <translation>, %1 Tok/s, noch %2</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>%1 (%2, %3) answers; settings of the local cache have no effect.</source>
        <translation>%1 (%2, %3) antwortet; Einstellungen des lokalen Caches haben keine Wirkung.</translation>
    </message>
    <message>
        <source>Waiting for the first word</source>
        <translation>Warten auf das erste Wort</translation>
    </message>
    <message>
        <source>Writing, the engine %1 tok/s</source>
        <translation>Schreibt, die Engine %1 Tok/s</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation>Engine steht</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>Idle, last answer %1 tok/s</source>
        <translation>Bereit, letzte Antwort %1 Tok/s</translation>
    </message>
    <message>
        <source>Reading prompt</source>
        <translation>Liest den Prompt</translation>
    </message>
    <message>
        <source>Writing %1 tok/s</source>
        <translation>Schreibt, %1 Tok/s</translation>
    </message>
    <message>
        <source>, and about %1 in the prompt: room for %2</source>
        <translation>, und etwa %1 im Prompt: Platz für %2</translation>
    </message>
    <message>
        <source>, and about %1 in the prompt</source>
        <translation>, und etwa %1 im Prompt</translation>
    </message>
    <message>
        <source>, held in %1 slots a head</source>
        <translation>, gehalten in %1 Slots je Kopf</translation>
    </message>
    <message>
        <source>, held in %1 slots a head (largest %2)</source>
        <translation>, gehalten in %1 Slots je Kopf (größter %2)</translation>
    </message>
    <message>
        <source>compacting</source>
        <translation>verdichtet</translation>
    </message>
    <message>
        <source>changing the cache format</source>
        <translation>ändert das Cache-Format</translation>
    </message>
    <message>
        <source>estimating a compaction</source>
        <translation>schätzt eine Verdichtung</translation>
    </message>
    <message>
        <source>trying ratios</source>
        <translation>probiert Verhältnisse</translation>
    </message>
    <message>
        <source>comparing settings</source>
        <translation>vergleicht Einstellungen</translation>
    </message>
    <message>
        <source>sweeping settings</source>
        <translation>führt eine Messreihe durch</translation>
    </message>
    <message>
        <source>measuring quality</source>
        <translation>misst die Qualität</translation>
    </message>
    <message>
        <source>calibrating rotations</source>
        <translation>kalibriert Rotationen</translation>
    </message>
    <message>
        <source>measuring heads</source>
        <translation>misst Köpfe</translation>
    </message>
    <message>
        <source>Engine %1</source>
        <translation>Engine %1</translation>
    </message>
    <message>
        <source>measuring the precision</source>
        <translation>misst die Genauigkeit</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PredictedLossLabel</name>
    <message>
        <source>%1x</source>
        <translation>%1x</translation>
    </message>
    <message>
        <source>Predicted at %1: output error %2</source>
        <translation>Vorhergesagt bei %1: Ausgabefehler %2</translation>
    </message>
    <message>
        <source>; at %1, in force, %2</source>
        <translation>; beim geltenden %1: %2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>Its cost is not measured: %1.</source>
        <translation>Was es kostet, ist nicht gemessen: %1.</translation>
    </message>
    <message>
        <source>Trying ratios, %1 of %2…</source>
        <translation>Verhältnisse werden probiert, %1 von %2…</translation>
    </message>
    <message>
        <source>What the AM ratio costs</source>
        <translation>Was das AM-Verhältnis kostet</translation>
    </message>
    <message>
        <source>Predicted at %1: output error about %2, between %3 and %4, which were tried</source>
        <translation>Erwartet bei %1: Ausgabefehler etwa %2, zwischen %3 und %4, die versucht wurden</translation>
    </message>
    <message>
        <source>Predicted at %1: output error above %2, which is that of %3</source>
        <translation>Erwartet bei %1: Ausgabefehler über %2, dem von %3</translation>
    </message>
    <message>
        <source>%1, as %2 already: %3.</source>
        <translation>%1, wie schon %2: %3.</translation>
    </message>
    <message>
        <source>Move the slider to measure what a ratio costs this text.</source>
        <translation>Verschieben Sie den Regler, um zu messen, was ein Verhältnis diesen Text kostet.</translation>
    </message>
    <message>
        <source>What it costs is measured after the next answer.</source>
        <translation>Was es kostet, wird nach der nächsten Antwort gemessen.</translation>
    </message>
    <message>
        <source>Predicted at %1: %2 of the text&apos;s information kept, weakest passage %3; output error %4</source>
        <translation>Vorhersage bei %1: %2 der Information des Textes bleiben, schwächste Stelle %3; Ausgabefehler %4</translation>
    </message>
    <message>
        <source>The ratios of the slider are tried on a copy of this conversation&apos;s cache while nothing is asked, as a compaction would be carried out, and what the ratio asked for keeps is measured by having the model repeat the text. The error is that of the heads&apos; outputs on queries kept out of the fit, relative to the outputs: 0 is exact, at 1 nothing is left. It is the same figure that a compaction of this text reports afterwards; where heads are too many, some of them are tried, and its standard error stands beside it.</source>
        <translation>Die Verhältnisse des Schiebers werden an einer Kopie des Caches dieses Gesprächs probiert, solange nichts gefragt ist, so wie eine Verdichtung ausgeführt würde; was beim gewünschten Verhältnis bleibt, wird gemessen, indem das Modell den Text wiederholt. Der Fehler ist der der Kopfausgaben bei Abfragen, die der Anpassung vorenthalten wurden, relativ zu den Ausgaben: 0 ist exakt, bei 1 ist nichts übrig. Dieselbe Zahl meldet eine Verdichtung dieses Textes danach; sind es zu viele Köpfe, werden einige davon probiert, und ihr Standardfehler steht daneben.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DemoBar</name>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>End the demo</source>
        <translation>Demo beenden</translation>
    </message>
    <message>
        <source>Once more</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>Was nun?</translation>
    </message>
    <message>
        <source>On to the next step as soon as this one is done.</source>
        <translation>Zum nächsten Schritt, sobald dieser getan ist.</translation>
    </message>
    <message>
        <source>Ways to go on: talk, load a model, tune.</source>
        <translation>Wie es weitergeht: Fragen stellen, ein Modell laden, abstimmen.</translation>
    </message>
    <message>
        <source>Demo %1 of %2</source>
        <translation>Demo %1 von %2</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>The demo is over</source>
        <translation>Die Demo ist zu Ende</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DownloadPage</name>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>reads what has come</source>
        <translation>prüft, was da ist</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>all there</source>
        <translation>vollständig</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>, noch %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>OWNER/NAME at the hub, or the address of a file. Nothing is asked before you press Look up.</source>
        <translation>BESITZER/NAME beim Hub oder die Adresse einer Datei. Gefragt wird erst, wenn Sie Nachsehen drücken.</translation>
    </message>
    <message>
        <source>OWNER/NAME or https://...</source>
        <translation>BESITZER/NAME oder https://...</translation>
    </message>
    <message>
        <source>Look up</source>
        <translation>Nachsehen</translation>
    </message>
    <message>
        <source>Ask the hub which models the repository has.</source>
        <translation>Den Hub fragen, welche Modelle das Repository hat.</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Where names are looked up; a mirror&apos;s address goes here as well. Empty: the usual one.</source>
        <translation>Wo Namen nachgesehen werden; auch die Adresse eines Spiegels geht hier. Leer: der übliche.</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Of your account at the hub, for models that it does not give to everybody. Sent to the hub alone, kept until this window closes, never written.</source>
        <translation>Ihres Kontos beim Hub, für Modelle, die er nicht jedem gibt. Geht nur an den Hub, bleibt bis zum Schließen dieses Fensters, wird nie geschrieben.</translation>
    </message>
    <message>
        <source>not needed for most</source>
        <translation>für die meisten nicht nötig</translation>
    </message>
    <message>
        <source>&amp;Token</source>
        <translation>&amp;Token</translation>
    </message>
    <message>
        <source>&amp;Hub</source>
        <translation>&amp;Hub</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Models go into it.</source>
        <translation>Modelle kommen hinein.</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>Wählen...</translation>
    </message>
    <message>
        <source>Choose the folder for models</source>
        <translation>Den Ordner für Modelle wählen</translation>
    </message>
    <message>
        <source>Allow http</source>
        <translation>http erlauben</translation>
    </message>
    <message>
        <source>Also fetch unencrypted from other machines: anybody on the way can read and change what comes. Give a digest then.</source>
        <translation>Auch unverschlüsselt von anderen Rechnern holen: jeder auf dem Weg kann lesen und ändern, was kommt. Geben Sie dann eine Prüfsumme an.</translation>
    </message>
    <message>
        <source>&amp;Folder</source>
        <translation>&amp;Ordner</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Models of the repository</source>
        <translation>Modelle des Repositorys</translation>
    </message>
    <message>
        <source>SHA-&amp;256</source>
        <translation>SHA-&amp;256</translation>
    </message>
    <message>
        <source>as the hub says</source>
        <translation>wie der Hub sagt</translation>
    </message>
    <message>
        <source>Digest that the file must have, 64 digits, where you know one.</source>
        <translation>Prüfsumme, die die Datei haben muss, 64 Zeichen, wo Sie eine kennen.</translation>
    </message>
    <message>
        <source>SHA-256 digest</source>
        <translation>SHA-256-Prüfsumme</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>Amount</source>
        <translation>Menge</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>What has come is kept.</source>
        <translation>Was gekommen ist, bleibt.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on where it stopped, where that is safe.</source>
        <translation>Weitermachen, wo es aufhörte, wo das sicher ist.</translation>
    </message>
    <message>
        <source>Remove...</source>
        <translation>Entfernen...</translation>
    </message>
    <message>
        <source>Take it off this list; what has come of an unfinished one is deleted.</source>
        <translation>Von dieser Liste nehmen; was von einem unfertigen da ist, wird gelöscht.</translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation>Ordner für Modelle</translation>
    </message>
    <message>
        <source>Remove a download</source>
        <translation>Einen Download entfernen</translation>
    </message>
    <message>
        <source>Remove %1? The %2 that have come are deleted.</source>
        <translation>%1 entfernen? Die gekommenen %2 werden gelöscht.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>%1 (folder of safetensors)</source>
        <translation>%1 (Ordner mit Safetensors)</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>nicht genannt</translation>
    </message>
    <message>
        <source>told by the hub</source>
        <translation>vom Hub genannt</translation>
    </message>
    <message>
        <source>not told</source>
        <translation>nicht genannt</translation>
    </message>
    <message>
        <source>Asking %1...</source>
        <translation>%1 wird gefragt...</translation>
    </message>
    <message>
        <source>Nothing is asked and no socket is open before you look something up or resume a download.</source>
        <translation>Bevor Sie nachsehen oder einen Download fortsetzen, wird nichts gesendet und kein Socket geöffnet.</translation>
    </message>
    <message>
        <source>The chosen download</source>
        <translation>Der gewählte Download</translation>
    </message>
    <message>
        <source>%1: one model, which Download fetches.</source>
        <translation>%1: ein Modell, das „Herunterladen“ holt.</translation>
    </message>
    <message>
        <source>What a repository has stands here once it was looked up.</source>
        <translation>Was ein Repository enthält, steht hier, sobald Sie nachgesehen haben.</translation>
    </message>
    <message>
        <source>Downloads stand here, with how far each of them is.</source>
        <translation>Downloads stehen hier, mit ihrem Fortschritt.</translation>
    </message>
    <message>
        <source>%1: Download fetches the chosen model.</source>
        <translation>%1: „Herunterladen“ holt das gewählte Modell.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::EventLogModel</name>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>Debug</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>Info</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ExportDialog</name>
    <message>
        <source>Replace files of the same names there</source>
        <translation>Gleichnamige Dateien dort ersetzen</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>Ordner für den Bericht</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>Wählen...</translation>
    </message>
    <message>
        <source>Choose a folder for the report</source>
        <translation>Einen Ordner für den Bericht wählen</translation>
    </message>
    <message>
        <source>Preview of the report</source>
        <translation>Vorschau des Berichts</translation>
    </message>
    <message>
        <source>Write report</source>
        <translation>Bericht schreiben</translation>
    </message>
    <message>
        <source>Open report</source>
        <translation>Bericht öffnen</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>JSON, whole</source>
        <translation>JSON, vollständig</translation>
    </message>
    <message>
        <source>Everything, to be opened here and replayed on any machine.</source>
        <translation>Alles; lässt sich hier öffnen und auf jedem Rechner wiederholen.</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>For paper and for people without Lacuna.</source>
        <translation>Für Papier und für Menschen ohne Lacuna.</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>One page that opens in any browser.</source>
        <translation>Eine Seite, die sich in jedem Browser öffnet.</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>For notes and issue trackers; needs the pictures.</source>
        <translation>Für Notizen und Fehlerlisten; braucht die Bilder.</translation>
    </message>
    <message>
        <source>Tables (CSV)</source>
        <translation>Tabellen (CSV)</translation>
    </message>
    <message>
        <source>Every sample, for spreadsheets.</source>
        <translation>Jeder Messwert, für Tabellenprogramme.</translation>
    </message>
    <message>
        <source>Pictures (PNG)</source>
        <translation>Bilder (PNG)</translation>
    </message>
    <message>
        <source>Charts, maps and the window.</source>
        <translation>Diagramme, Karten und das Fenster.</translation>
    </message>
    <message>
        <source>Parts of PDF, HTML and Markdown</source>
        <translation>Teile von PDF, HTML und Markdown</translation>
    </message>
    <message>
        <source>A report is being written.</source>
        <translation>Ein Bericht wird gerade geschrieben.</translation>
    </message>
    <message>
        <source>Name a folder for the report.</source>
        <translation>Nennen Sie einen Ordner für den Bericht.</translation>
    </message>
    <message>
        <source>There is a file of that name.</source>
        <translation>Es gibt eine Datei dieses Namens.</translation>
    </message>
    <message>
        <source>Choose a document at least.</source>
        <translation>Wählen Sie mindestens ein Dokument.</translation>
    </message>
    <message>
        <source>This folder is not empty. Name another, or let files of the same names be replaced.</source>
        <translation>Dieser Ordner ist nicht leer. Nennen Sie einen anderen, oder lassen Sie gleichnamige Dateien ersetzen.</translation>
    </message>
    <message>
        <source>Files of the same names there are replaced.</source>
        <translation>Gleichnamige Dateien dort werden ersetzt.</translation>
    </message>
    <message>
        <source>The folder is made anew.</source>
        <translation>Der Ordner wird angelegt.</translation>
    </message>
    <message>
        <source>Writing...</source>
        <translation>Wird geschrieben...</translation>
    </message>
    <message>
        <source>Report written: %1 files in %2.</source>
        <translation>Bericht geschrieben: %1 Dateien in %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FindBar</name>
    <message>
        <source>attached: %1</source>
        <translation>angehängt: %1</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Previous place (Shift+F3)</source>
        <translation>Vorige Stelle (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>Nächste Stelle (F3)</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In diesem Gespräch suchen</translation>
    </message>
    <message>
        <source>Enter goes to the next place, Shift+Enter to the one before.</source>
        <translation>Eingabe geht zur nächsten Stelle, Umschalt+Eingabe zur vorigen.</translation>
    </message>
    <message>
        <source>Places found</source>
        <translation>Gefundene Stellen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation>Suche schließen (Esc)</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>mehr als %1</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>Places: %1</source>
        <translation>Stellen: %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Other branch: %1</source>
        <translation>Anderer Zweig: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FormatWindow</name>
    <message>
        <source>%1 (%2x)</source>
        <translation>%1 (%2x)</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>besteht</translation>
    </message>
    <message>
        <source>asked for now</source>
        <translation>jetzt eingestellt</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Keys / values</source>
        <translation>Schlüssel / Werte</translation>
    </message>
    <message>
        <source>Bits a number</source>
        <translation>Bits je Zahl</translation>
    </message>
    <message>
        <source>Bytes a token</source>
        <translation>Bytes je Token</translation>
    </message>
    <message>
        <source>Mean KL</source>
        <translation>Mittlere KL</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Same likeliest</source>
        <translation>Gleiches Token</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>Tokens/s (of f16)</source>
        <translation>Token/s (von f16)</translation>
    </message>
    <message>
        <source>Presets first, then the other formats that were measured.</source>
        <translation>Erst Voreinstellungen, dann die anderen gemessenen Formate.</translation>
    </message>
    <message>
        <source>t8 to t1 are rotated codes of so many bits, q8_0 and q4_0 codes in groups.</source>
        <translation>t8 bis t1 sind rotierte Codes von so vielen Bit, q8_0 und q4_0 Codes in Gruppen.</translation>
    </message>
    <message>
        <source>Live bits for each number that is held, scales and positions counted.</source>
        <translation>Belegte Bits je gehaltener Zahl, Skalen und Positionen eingerechnet.</translation>
    </message>
    <message>
        <source>Live bytes over all layers for each token that was read, mean over the texts.</source>
        <translation>Belegte Bytes über alle Schichten je gelesenem Token, Mittel über die Texte.</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of 16 bits, in nats, mean over running text.</source>
        <translation>Divergenz der Verteilung des nächsten Tokens von der bei 16 Bit, in Nats, Mittel über laufenden Text.</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>Dasselbe beim 99. Perzentil der Positionen.</translation>
    </message>
    <message>
        <source>Share of positions with the same likeliest token.</source>
        <translation>Anteil der Positionen mit demselben wahrscheinlichsten Token.</translation>
    </message>
    <message>
        <source>Of the dialogues that 16 bits answer, those answered right with this format.</source>
        <translation>Von den Dialogen, die 16 Bit beantworten, die mit diesem Format richtig beantworteten.</translation>
    </message>
    <message>
        <source>Decoding, median of rounds that take turns with 16 bits, and the median of the ratios to those.</source>
        <translation>Decodieren, Median aus Runden im Wechsel mit 16 Bit, und der Median der Verhältnisse dazu.</translation>
    </message>
    <message>
        <source>Why this model cannot have it, or that it is asked for now.</source>
        <translation>Warum dieses Modell es nicht haben kann, oder dass es jetzt eingestellt ist.</translation>
    </message>
    <message>
        <source>%1 bytes a token allocated.</source>
        <translation>%1 Bytes je Token reserviert.</translation>
    </message>
    <message>
        <source>Cache formats of this model</source>
        <translation>Cache-Formate dieses Modells</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Put the table on the clipboard, as Markdown.</source>
        <translation>Die Tabelle als Markdown in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>The table is on the clipboard.</source>
        <translation>Die Tabelle ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>Presets and formats of the cache</source>
        <translation>Voreinstellungen und Formate des Caches</translation>
    </message>
    <message>
        <source>Use what passes</source>
        <translation>Kleinstes nehmen</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>Dieses nehmen</translation>
    </message>
    <message>
        <source>1 to 8 bits in rotated codes, or 16 bits.</source>
        <translation>1 bis 8 Bit in rotierten Codes, oder 16 Bit.</translation>
    </message>
    <message>
        <source>Bits of keys</source>
        <translation>Bits der Schlüssel</translation>
    </message>
    <message>
        <source>Bits of values</source>
        <translation>Bits der Werte</translation>
    </message>
    <message>
        <source>Use these bits</source>
        <translation>Diese Bits nehmen</translation>
    </message>
    <message>
        <source>%1 was sent to the engine; caches in use are coded again between steps.</source>
        <translation>%1 wurde an die Engine gesendet; Caches in Gebrauch werden zwischen Schritten umcodiert.</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <source>Nothing of this model is measured yet.</source>
        <translation>Von diesem Modell ist noch nichts gemessen.</translation>
    </message>
    <message>
        <source>Which format is the smallest that passes is known once they are measured.</source>
        <translation>Welches Format das kleinste ist, das besteht, zeigt die Messung.</translation>
    </message>
    <message>
        <source>No format is known to pass.</source>
        <translation>Kein gemessenes Format besteht.</translation>
    </message>
    <message>
        <source>Keep keys and values as %1 from now on.</source>
        <translation>Schlüssel und Werte von jetzt an als %1 halten.</translation>
    </message>
    <message>
        <source>Choose a row first.</source>
        <translation>Wählen Sie zuerst eine Zeile.</translation>
    </message>
    <message>
        <source>It is what is asked for now.</source>
        <translation>Es ist schon eingestellt.</translation>
    </message>
    <message>
        <source>A format that is no preset, with every token kept.</source>
        <translation>Ein Format ohne Voreinstellung, jedes Token bleibt erhalten.</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 nehmen</translation>
    </message>
    <message>
        <source>Set all that belongs to it.</source>
        <translation>Alles setzen, was dazugehört.</translation>
    </message>
    <message>
        <source>%1 for %2 tokens; as asked for now %3.</source>
        <translation>%1 für %2 Token; mit den jetzigen Einstellungen %3.</translation>
    </message>
    <message>
        <source>These bits are asked for now.</source>
        <translation>Diese Bits sind jetzt eingestellt.</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>bisher %1 von %2 Texten</translation>
    </message>
    <message>
        <source>no byte saved in %1 short texts</source>
        <translation>in %1 kurzen Texten kein Byte gespart</translation>
    </message>
    <message>
        <source>%1 texts left out</source>
        <translation>%1 Texte ausgelassen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuardedApplication</name>
    <message>
        <source>There was not enough memory for that. Nothing that was saved is lost.</source>
        <translation>Dafür reichte der Speicher nicht. Nichts Gespeichertes ist verloren.</translation>
    </message>
    <message>
        <source>That did not work: %1</source>
        <translation>Das ging nicht: %1</translation>
    </message>
    <message>
        <source>That did not work.</source>
        <translation>Das ging nicht.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuidedDemo</name>
    <message>
        <source>The demo&apos;s text was not found: texts/opening_prompts.json is missing or does not name a text and questions; looked in %1.</source>
        <translation>Der Text der Demo wurde nicht gefunden: texts/opening_prompts.json fehlt oder nennt keinen Text und keine Fragen; gesucht wurde in %1.</translation>
    </message>
    <message>
        <source>The guided demo was stopped. Settings are as they were before.</source>
        <translation>Die Demo wurde abgebrochen. Die Einstellungen sind wie zuvor.</translation>
    </message>
    <message>
        <source>loading the bundled model</source>
        <translation>das mitgelieferte Modell wird geladen</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>das Modell wird geladen</translation>
    </message>
    <message>
        <source>a little talk first: temperature 0, compression off</source>
        <translation>zuerst ein wenig Gespräch: Temperatur 0, Kompression aus</translation>
    </message>
    <message>
        <source>it is asked: %1</source>
        <translation>gefragt wird: %1</translation>
    </message>
    <message>
        <source>the whole cache</source>
        <translation>dem ganzen Cache</translation>
    </message>
    <message>
        <source>nothing of it is given up</source>
        <translation>nichts davon wird aufgegeben</translation>
    </message>
    <message>
        <source>the evicted cache</source>
        <translation>dem ausgedünnten Cache</translation>
    </message>
    <message>
        <source>512 slots a head are kept of it by their keys alone</source>
        <translation>512 Slots je Kopf bleiben davon, nach ihren Schlüsseln allein</translation>
    </message>
    <message>
        <source>attention matching</source>
        <translation>Attention Matching</translation>
    </message>
    <message>
        <source>it is made 4 times smaller by attention matching</source>
        <translation>Attention Matching macht ihn 4-mal kleiner</translation>
    </message>
    <message>
        <source>a new conversation; once the text is read, %1</source>
        <translation>ein neues Gespräch; ist der Text gelesen: %1</translation>
    </message>
    <message>
        <source>a long text with facts hidden in it: %1; %2</source>
        <translation>ein langer Text mit versteckten Fakten: %1; %2</translation>
    </message>
    <message>
        <source>it is read and compacted, before any question</source>
        <translation>er wird gelesen und verdichtet, vor jeder Frage</translation>
    </message>
    <message>
        <source>it is read, before any question</source>
        <translation>er wird gelesen, vor jeder Frage</translation>
    </message>
    <message>
        <source>%1 is asked: %2</source>
        <translation>%1 wird gefragt: %2</translation>
    </message>
    <message>
        <source>a longer answer; the ratio moves to 8 while it is written</source>
        <translation>eine längere Antwort; das Verhältnis geht auf 8, während sie geschrieben wird</translation>
    </message>
    <message>
        <source>ratio %1 is refused, with the reason and the nearest valid value</source>
        <translation>Verhältnis %1 wird abgelehnt, mit dem Grund und dem nächsten gültigen Wert</translation>
    </message>
    <message>
        <source>the offered value is taken and the cache compacted</source>
        <translation>der angebotene Wert wird genommen und der Cache verdichtet</translation>
    </message>
    <message>
        <source>back to the conversation of the evicted cache: words struck out are evicted everywhere</source>
        <translation>zurück zum Gespräch des ausgedünnten Caches: durchgestrichene Wörter sind überall verdrängt</translation>
    </message>
    <message>
        <source>and its cache map: which layers and heads still hold which tokens</source>
        <translation>und seine Cache-Karte: welche Schichten und Köpfe noch welche Token halten</translation>
    </message>
    <message>
        <source>The window with the cache map</source>
        <translation>Das Fenster mit der Cache-Karte</translation>
    </message>
    <message>
        <source>the charts again, over the whole session</source>
        <translation>noch einmal die Diagramme, über die ganze Sitzung</translation>
    </message>
    <message>
        <source>writing the report</source>
        <translation>der Bericht wird geschrieben</translation>
    </message>
    <message>
        <source>%2 of %3 right with %1</source>
        <translation>%2 von %3 richtig mit %1</translation>
    </message>
    <message>
        <source>%1 (lost: %2)</source>
        <translation>%1 (verloren: %2)</translation>
    </message>
    <message>
        <source>Guided demo done: %1. %2 compactions. Report in %3</source>
        <translation>Demo beendet: %1. %2 Verdichtungen. Bericht in %3</translation>
    </message>
    <message>
        <source>The demo stopped at &quot;%1&quot;: nothing happened for %2.</source>
        <translation>Die Demo blieb bei „%1“ stehen: %2 lang geschah nichts.</translation>
    </message>
    <message>
        <source>The model reads four pages, with facts hidden in them. Its memory of them is the cache: watch KV bytes rise in the charts below.</source>
        <translation>Das Modell liest vier Seiten, in denen Fakten versteckt sind. Sein Gedächtnis dafür ist der Cache: Unten im Diagramm steigen die KV-Bytes.</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>It is asked for one of the facts: %1</source>
        <translation>Es wird nach einem der Fakten gefragt: %1</translation>
    </message>
    <message>
        <source>Now the cache is made four times smaller. Attention matching keeps a quarter of the slots, fitted so that the model looks at them as it looked at all: the bytes fall.</source>
        <translation>Jetzt wird der Cache viermal kleiner. Attention Matching behält ein Viertel der Slots und passt sie so an, dass das Modell sie liest wie zuvor alle: Die Bytes fallen.</translation>
    </message>
    <message>
        <source>a quarter of it</source>
        <translation>ein Viertel davon</translation>
    </message>
    <message>
        <source>Another fact is asked of the quarter that is left: %1</source>
        <translation>Das verbliebene Viertel wird nach einem anderen Fakt gefragt: %1</translation>
    </message>
    <message>
        <source>That was it: %1. Settings are as they were before.</source>
        <translation>Das war es: %1. Die Einstellungen sind wie zuvor.</translation>
    </message>
    <message>
        <source>Tinted words show what the cache still holds of each: kept, merged into others, or gone. F7 shows it at any time.</source>
        <translation>Gefärbte Wörter zeigen, was der Cache noch von jedem hält: behalten, mit anderen verschmolzen oder weg. F7 zeigt es jederzeit.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::HeatMapView</name>
    <message>
        <source>%1 down, %2 across</source>
        <translation>%1 abwärts, %2 quer</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingNumberField</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingsPanel</name>
    <message>
        <source>All settings in force</source>
        <translation>Alles in Kraft</translation>
    </message>
    <message>
        <source>Draft: waits to be applied</source>
        <translation>Entwurf: wartet auf Anwenden</translation>
    </message>
    <message>
        <source>Draft: sent after a moment&apos;s rest</source>
        <translation>Entwurf: wird nach kurzer Ruhe gesendet</translation>
    </message>
    <message>
        <source>Sent to the engine</source>
        <translation>An die Engine gesendet</translation>
    </message>
    <message>
        <source>Pending: next token</source>
        <translation>Ausstehend: nächstes Token</translation>
    </message>
    <message>
        <source>Applied after %1</source>
        <translation>Angewandt nach %1</translation>
    </message>
    <message>
        <source>Rejected: see the setting</source>
        <translation>Abgelehnt: siehe Einstellung</translation>
    </message>
    <message>
        <source>Superseded by a newer change</source>
        <translation>Durch eine neuere Änderung ersetzt</translation>
    </message>
    <message>
        <source>Rolled back</source>
        <translation>Zurückgenommen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Set every setting back to the value the program started with</source>
        <translation>Jede Einstellung auf den Wert setzen, mit dem das Programm begann</translation>
    </message>
    <message>
        <source>Reset all settings</source>
        <translation>Alle Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>No change of a setting to take back</source>
        <translation>Keine Änderung einer Einstellung zurückzunehmen</translation>
    </message>
    <message>
        <source>Back to: %1</source>
        <translation>Zurück zu: %1</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>Einstellung rückgängig machen</translation>
    </message>
    <message>
        <source>Cache settings for this conversation only</source>
        <translation>Nur für dieses Gespräch einstellen</translation>
    </message>
    <message>
        <source>Method, ratio, budget and all else about its cache are then its own: a change here reaches no other conversation, and a change made elsewhere does not reach this one. Sampling and the run stay the same for all.</source>
        <translation>Methode, Verhältnis, Budget und alles andere am Cache gehören dann ihm allein: Eine Änderung hier erreicht kein anderes Gespräch, und eine Änderung anderswo erreicht dieses nicht. Auswahl der Token und Lauf bleiben für alle gleich.</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Auswahl der Token</translation>
    </message>
    <message>
        <source>More on compression</source>
        <translation>Mehr zur Kompression</translation>
    </message>
    <message>
        <source>Cache and run</source>
        <translation>Cache und Lauf</translation>
    </message>
    <message>
        <source>%1, show or hide</source>
        <translation>%1, zeigen oder verbergen</translation>
    </message>
    <message>
        <source>generation %1</source>
        <translation>Stand %1</translation>
    </message>
    <message>
        <source>Applied</source>
        <translation>Angewandt</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingRow</name>
    <message>
        <source>draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <source> pending</source>
        <translation> ausstehend</translation>
    </message>
    <message>
        <source> applied</source>
        <translation> angewandt</translation>
    </message>
    <message>
        <source> rejected</source>
        <translation> abgelehnt</translation>
    </message>
    <message>
        <source>superseded</source>
        <translation>ersetzt</translation>
    </message>
    <message>
        <source> rolled back</source>
        <translation> zurückgenommen</translation>
    </message>
    <message>
        <source>Now: %1.</source>
        <translation>Jetzt: %1.</translation>
    </message>
    <message>
        <source>Key for --set: %1</source>
        <translation>Name für --set: %1</translation>
    </message>
    <message>
        <source>%1 slider</source>
        <translation>%1, Schieber</translation>
    </message>
    <message>
        <source>none, or 0,1</source>
        <translation>keine, oder 0,1</translation>
    </message>
    <message>
        <source>Use the nearest valid value of %1</source>
        <translation>Den nächsten gültigen Wert von %1 nehmen</translation>
    </message>
    <message>
        <source>Keep the value in force</source>
        <translation>Geltenden Wert behalten</translation>
    </message>
    <message>
        <source>Keep the value in force of %1</source>
        <translation>Den geltenden Wert von %1 behalten</translation>
    </message>
    <message>
        <source>in force %1</source>
        <translation>gilt: %1</translation>
    </message>
    <message>
        <source>%1: asked for %2, in force %3. %4</source>
        <translation>%1: gefordert %2, gilt %3. %4</translation>
    </message>
    <message>
        <source>Use %1 %2</source>
        <translation>%1 %2 nehmen</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 nehmen</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1 für %2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::LogWindow</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Lines shown</source>
        <translation>Gezeigte Zeilen</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Words a line must contain</source>
        <translation>Wörter, die eine Zeile enthalten muss</translation>
    </message>
    <message>
        <source>The chosen lines</source>
        <translation>Die gewählten Zeilen</translation>
    </message>
    <message>
        <source>Choose lines to read them whole.</source>
        <translation>Wählen Sie Zeilen, um sie ganz zu lesen.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Put the chosen lines on the clipboard, or all that are shown.</source>
        <translation>Die gewählten Zeilen in die Zwischenablage legen, sonst alle gezeigten.</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Show the folder where the file of this log lies.</source>
        <translation>Den Ordner zeigen, in dem die Datei dieses Protokolls liegt.</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 Zeilen</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 von %2 Zeilen</translation>
    </message>
    <message>
        <source>This run keeps no log on disk.</source>
        <translation>Dieser Lauf führt kein Protokoll auf der Platte.</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>Ereignisprotokoll</translation>
    </message>
    <message>
        <source>Where lines come from</source>
        <translation>Woher Zeilen kommen</translation>
    </message>
    <message>
        <source>Session and program</source>
        <translation>Sitzung und Programm</translation>
    </message>
    <message>
        <source>Session only</source>
        <translation>Nur Sitzung</translation>
    </message>
    <message>
        <source>Program&apos;s log only</source>
        <translation>Nur Protokoll des Programms</translation>
    </message>
    <message>
        <source>Answers, compactions and settings that went their way</source>
        <translation>Antworten, Verdichtungen und Einstellungen, die glatt liefen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MainWindow</name>
    <message>
        <source>Lacuna</source>
        <translation>Lacuna</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Tuning</source>
        <translation>Abstimmung</translation>
    </message>
    <message>
        <source>Telemetry</source>
        <translation>Telemetrie</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Cache map</source>
        <translation>Cache-Karte</translation>
    </message>
    <message>
        <source>sessions</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>tuning</source>
        <translation>Abstimmung</translation>
    </message>
    <message>
        <source>telemetry</source>
        <translation>Telemetrie</translation>
    </message>
    <message>
        <source>cache map</source>
        <translation>Cache-Karte</translation>
    </message>
    <message>
        <source>timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Main</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Start the demo</source>
        <translation>Demo starten</translation>
    </message>
    <message>
        <source>New here? In twenty seconds a demo shows what remembering costs and what compaction saves.</source>
        <translation>Neu hier? In zwanzig Sekunden zeigt eine Demo, was Erinnern kostet und was Verdichtung spart.</translation>
    </message>
    <message>
        <source>%1, which was in use last, does not load: %2 The model that ships with Lacuna answers.</source>
        <translation>%1, zuletzt in Gebrauch, lässt sich nicht laden: %2 Das mitgelieferte Modell antwortet.</translation>
    </message>
    <message>
        <source>The window that is open already goes on with this.</source>
        <translation>Das Fenster, das schon offen ist, macht damit weiter.</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 gibt es nicht.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProgressFooter</name>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>Messung anhalten</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an…</translation>
    </message>
    <message>
        <source>Waiting for the engine…</source>
        <translation>Warten auf die Engine…</translation>
    </message>
    <message>
        <source>%1 of %2 measured</source>
        <comment>settings on answers</comment>
        <translation>%1 von %2 gemessen</translation>
    </message>
    <message>
        <source>Answering under A, %1 of at most %2 tokens</source>
        <translation>Antwort unter A, %1 von höchstens %2 Token</translation>
    </message>
    <message>
        <source>Answering under B, %1 of at most %2 tokens</source>
        <translation>Antwort unter B, %1 von höchstens %2 Token</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>, noch etwa %1</translation>
    </message>
    <message>
        <source>%1 (Ctrl+Enter)</source>
        <translation>%1 (Strg+Eingabe)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MemoryPlanChart</name>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>Speicherplan</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>%1: planned %2</source>
        <translation>%1: geplant %2</translation>
    </message>
    <message>
        <source>, measured %1</source>
        <translation>, gemessen %1</translation>
    </message>
    <message>
        <source>fits here</source>
        <translation>passt hier</translation>
    </message>
    <message>
        <source>room for %1 of %2 tokens</source>
        <translation>Platz für %1 von %2 Token</translation>
    </message>
    <message>
        <source>cache %1, %2 tokens</source>
        <translation>Cache %1, %2 Token</translation>
    </message>
    <message>
        <source>when it is loaded</source>
        <translation>wenn es geladen ist</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MemoryWindow</name>
    <message>
        <source>Conversation</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>Übernommen</translation>
    </message>
    <message>
        <source>From where, or why not</source>
        <translation>Woher, oder warum nicht</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>Privat</translation>
    </message>
    <message>
        <source>Tokens in its own cache after its last step in this run</source>
        <translation>Token im eigenen Cache nach dem letzten Schritt in diesem Lauf</translation>
    </message>
    <message>
        <source>What these take</source>
        <translation>Was diese belegen</translation>
    </message>
    <message>
        <source>Of the prompt of its last question, the part that was not read again</source>
        <translation>Vom Prompt der letzten Frage der Teil, der nicht neu gelesen wurde</translation>
    </message>
    <message>
        <source>Where the reused part came from, or why there was not more</source>
        <translation>Woher der übernommene Teil kam, oder warum es nicht mehr war</translation>
    </message>
    <message>
        <source>What is said from now on is stored nowhere for other conversations, and takes nothing from there. What was stored before stays until it is cleared.</source>
        <translation>Was von jetzt an gesagt wird, wird nirgends für andere Gespräche aufbewahrt und nimmt nichts von dort. Was vorher aufbewahrt wurde, bleibt, bis es geleert wird.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>private</source>
        <translation>privat</translation>
    </message>
    <message>
        <source>not private</source>
        <translation>nicht privat</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <source>What was read is kept, and conversations, branches and requests that begin alike need not read it again.</source>
        <translation>Was gelesen wurde, wird aufbewahrt; Gespräche, Zweige und Anfragen mit gleichem Anfang müssen es nicht neu lesen.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Keep it after all</source>
        <translation>Doch behalten</translation>
    </message>
    <message>
        <source>Conversations and what each has in memory</source>
        <translation>Gespräche und was jedes im Speicher hat</translation>
    </message>
    <message>
        <source>Nothing has been asked in this run</source>
        <translation>In diesem Lauf wurde noch nichts gefragt</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens came from a cache (%3)</source>
        <translation>%1 von %2 Prompt-Token kamen aus einem Cache (%3)</translation>
    </message>
    <message>
        <source>Caches of conversations take %1 now. The caches of four stay; the one used longest ago is given back for another, and its conversation then begins from what is kept above.</source>
        <translation>Die Caches der Gespräche belegen jetzt %1. Vier bleiben bestehen; für einen weiteren wird der am längsten unbenutzte freigegeben, und sein Gespräch beginnt dann mit dem oben Aufbewahrten.</translation>
    </message>
    <message>
        <source>What is kept in memory goes in %1 s.</source>
        <translation>Was im Speicher aufbewahrt wird, verschwindet in %1 s.</translation>
    </message>
    <message>
        <source>What is kept on disk goes in %1 s.</source>
        <translation>Was auf der Platte aufbewahrt wird, verschwindet in %1 s.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageEditor</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Edit this question</source>
        <translation>Diese Frage bearbeiten</translation>
    </message>
    <message>
        <source>Edit this answer</source>
        <translation>Diese Antwort bearbeiten</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Put this in place of the answer (Ctrl+Enter)</source>
        <translation>Dies an die Stelle der Antwort setzen (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Leave the message as it is (Esc)</source>
        <translation>Die Nachricht lassen, wie sie ist (Esc)</translation>
    </message>
    <message>
        <source>What stood here stays as another branch.</source>
        <translation>Was hier stand, bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>%1 About %2 tokens are read for the answer, the rest is kept.</source>
        <translation>%1 Etwa %2 Token werden für die Antwort gelesen, der Rest ist vorhanden.</translation>
    </message>
    <message>
        <source>Enter asks, Shift+Enter starts a new line, Esc cancels. What stood there stays as another branch.</source>
        <translation>Eingabe fragt, Umschalt+Eingabe beginnt eine neue Zeile, Esc bricht ab. Was dort stand, bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Ctrl+Enter replaces the answer, Esc cancels. What stood there stays as another branch.</source>
        <translation>Strg+Eingabe ersetzt die Antwort, Esc bricht ab. Was dort stand, bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Ask this in place of the question (Enter)</source>
        <translation>Dies anstelle der Frage fragen (Eingabe)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageText</name>
    <message>
        <source>Copy this block of code</source>
        <translation>Diesen Codeblock kopieren</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation>%1 kopieren</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageView</name>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>%1 prompt tokens</source>
        <translation>%1 Prompt-Token</translation>
    </message>
    <message>
        <source> (%1 cached)</source>
        <translation> (%1 im Cache)</translation>
    </message>
    <message>
        <source>%1 answered</source>
        <translation>%1 Token Antwort</translation>
    </message>
    <message>
        <source>first token %1</source>
        <translation>erstes Token %1</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 Tok/s</translation>
    </message>
    <message>
        <source>1 compaction</source>
        <translation>1 Verdichtung</translation>
    </message>
    <message>
        <source>%1 compactions</source>
        <translation>%1 Verdichtungen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>Diese Nachricht kopieren</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Answer the last question again</source>
        <translation>Die letzte Frage noch einmal beantworten</translation>
    </message>
    <message>
        <source>%1  %2, %3 characters</source>
        <translation>%1  %2, %3 Zeichen</translation>
    </message>
    <message>
        <source>Message of %1</source>
        <translation>Nachricht von %1</translation>
    </message>
    <message>
        <source>Show %1 of %2 characters</source>
        <translation>%1 von %2 Zeichen zeigen</translation>
    </message>
    <message>
        <source>Show all %1 characters</source>
        <translation>Alle %1 Zeichen zeigen</translation>
    </message>
    <message>
        <source>Show less</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message>
        <source>A long message is folded. Copy takes all of it.</source>
        <translation>Eine lange Nachricht ist eingeklappt. Kopieren nimmt sie ganz.</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>liest den Prompt</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>Regenerate (reads %1 tokens)</source>
        <translation>Neu antworten (liest %1 Token)</translation>
    </message>
    <message>
        <source>Answer the last question again. Its %1 tokens are read again, because the cache was compacted or given back since.</source>
        <translation>Die letzte Frage noch einmal beantworten. Ihre %1 Token werden neu gelesen, weil der Cache seither verdichtet oder aufgegeben wurde.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Write this answer on from where it ended</source>
        <translation>Diese Antwort weiterschreiben, wo sie endete</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>Diese Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Zweig löschen</translation>
    </message>
    <message>
        <source>Delete this branch with all that follows it; can be undone</source>
        <translation>Diesen Zweig mit allem löschen, was ihm folgt; lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Pinned: no compaction forgets these words (%1 tokens).</source>
        <translation>Angeheftet: keine Verdichtung vergisst diese Wörter (%1 Token).</translation>
    </message>
    <message>
        <source>Pinned: no compaction forgets these words.</source>
        <translation>Angeheftet: keine Verdichtung vergisst diese Wörter.</translation>
    </message>
    <message numerus="yes">
        <source>%n pinned</source>
        <translation>
            <numerusform>%n angeheftet</numerusform>
            <numerusform>%n angeheftet</numerusform>
        </translation>
    </message>
    <message>
        <source>Answer the last question again. This answer stays as another branch.</source>
        <translation>Die letzte Frage noch einmal beantworten. Diese Antwort bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Answer this question again. What follows stays as another branch.</source>
        <translation>Diese Frage noch einmal beantworten. Was folgt, bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>%1 tokens came back for this question</source>
        <translation>%1 Token kamen für diese Frage zurück</translation>
    </message>
    <message>
        <source>Show the attached text %1</source>
        <translation>Angehängten Text %1 anzeigen</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>wartet</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelBar</name>
    <message>
        <source>%1 M parameters</source>
        <translation>%1 M Parameter</translation>
    </message>
    <message>
        <source>%1 B parameters</source>
        <translation>%1 Mrd. Parameter</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>measuring its heads: %1 %</source>
        <translation>Köpfe werden gemessen: %1 %</translation>
    </message>
    <message>
        <source>measuring its quality: %1 %</source>
        <translation>Qualität wird gemessen: %1 %</translation>
    </message>
    <message>
        <source>%1
%2 layers, %3 query heads, %4 key heads of size %5, vocabulary %6
Licence: %7
Precision: %8
%9
%10</source>
        <translation>%1
%2 Schichten, %3 Abfrageköpfe, %4 Schlüsselköpfe der Größe %5, Vokabular %6
Lizenz: %7
Genauigkeit: %8
%9
%10</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>nicht angegeben</translation>
    </message>
    <message>
        <source>as set</source>
        <translation>wie eingestellt</translation>
    </message>
    <message>
        <source>Model load progress</source>
        <translation>Fortschritt beim Laden des Modells</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <source>Model not loaded</source>
        <translation>Modell nicht geladen</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>%1 wird geladen</translation>
    </message>
    <message>
        <source>%1
The local model stays loaded and answers again once this is disconnected.
%2</source>
        <translation>%1
Das lokale Modell bleibt geladen und antwortet wieder, sobald die Verbindung getrennt ist.
%2</translation>
    </message>
    <message>
        <source>measuring its precision: %1 %</source>
        <translation>misst die Genauigkeit: %1 %</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>Messung überspringen</translation>
    </message>
    <message>
        <source>Leave the precision unmeasured: answers are computed with 8 bits in two terms, which every model bears.</source>
        <translation>Genauigkeit ungemessen lassen: Antworten werden mit 8 Bit in zwei Termen gerechnet, die jedes Modell verträgt.</translation>
    </message>
    <message>
        <source>fitting its surrogate: %1 %</source>
        <translation>passt sein Surrogat an: %1 %</translation>
    </message>
    <message>
        <source>Fit no surrogate: a text is repeated, between answers, where it is to be known which of its tokens are needed.</source>
        <translation>Kein Surrogat anpassen: Zwischen Antworten wird ein Text wiederholt, wo bekannt sein muss, welche seiner Token gebraucht werden.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelDetails</name>
    <message>
        <source>Model details</source>
        <translation>Modelldetails</translation>
    </message>
    <message>
        <source>Load this model</source>
        <translation>Dieses Modell laden</translation>
    </message>
    <message>
        <source>Quality…</source>
        <translation>Qualität…</translation>
    </message>
    <message>
        <source>What compaction costs this model: methods by ratios, measured here.</source>
        <translation>Was Verdichtung dieses Modell kostet: Methoden nach Verhältnissen, hier gemessen.</translation>
    </message>
    <message>
        <source>Connect to an engine…</source>
        <translation>Mit einer Engine verbinden…</translation>
    </message>
    <message>
        <source>Let an engine elsewhere answer, with a model that does not fit here.</source>
        <translation>Eine Engine anderswo antworten lassen, mit einem Modell, das hier nicht hineinpasst.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Put the page on the clipboard as text.</source>
        <translation>Die Seite als Text in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>This file cannot be used: %1</source>
        <translation>Diese Datei ist nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>This model is loaded.</source>
        <translation>Dieses Modell ist geladen.</translation>
    </message>
    <message>
        <source>This model can be loaded.</source>
        <translation>Dieses Modell lässt sich laden.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelsWindow</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Memory here</source>
        <translation>Speicher hier</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Bemerkung</translation>
    </message>
    <message>
        <source>On disk, all of its files.</source>
        <translation>Auf der Platte, alle seine Dateien.</translation>
    </message>
    <message>
        <source>Architecture, layers and width.</source>
        <translation>Architektur, Schichten und Breite.</translation>
    </message>
    <message>
        <source>Number format of most of its weights.</source>
        <translation>Zahlenformat der meisten Gewichte.</translation>
    </message>
    <message>
        <source>Tokens it was trained for.</source>
        <translation>Token, für die es trainiert wurde.</translation>
    </message>
    <message>
        <source>By the engine&apos;s own plan: the weights, one step and the caches of all answers at the trained context, against what is free now, with the settings in force.</source>
        <translation>Nach dem Plan der Engine selbst: die Gewichte, ein Schritt und die Caches aller Antworten beim trainierten Kontext, gegen das, was jetzt frei ist, mit den geltenden Einstellungen.</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>%1 tokens fit</source>
        <translation>%1 Token passen</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>being read...</source>
        <translation>wird gelesen...</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>ships with Lacuna</source>
        <translation>mitgeliefert</translation>
    </message>
    <message>
        <source>downloaded</source>
        <translation>heruntergeladen</translation>
    </message>
    <message>
        <source>drafts by %1</source>
        <translation>Entwürfe von %1</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Models, downloads and preparing</source>
        <translation>Modelle, Downloads und Vorbereiten</translation>
    </message>
    <message>
        <source>On this machine</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>%1 has arrived.</source>
        <translation>%1 ist da.</translation>
    </message>
    <message>
        <source>Models on this machine</source>
        <translation>Modelle auf diesem Rechner</translation>
    </message>
    <message>
        <source>Enter loads the chosen one.</source>
        <translation>Eingabe lädt das gewählte.</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>Das gewählte Modell</translation>
    </message>
    <message>
        <source>Add folder...</source>
        <translation>Ordner hinzufügen...</translation>
    </message>
    <message>
        <source>Look for models in a folder, now and at every start.</source>
        <translation>In einem Ordner nach Modellen suchen, jetzt und bei jedem Start.</translation>
    </message>
    <message>
        <source>Add model...</source>
        <translation>Modell hinzufügen...</translation>
    </message>
    <message>
        <source>Put a GGUF file on the list; it stays where it is.</source>
        <translation>Eine GGUF-Datei auf die Liste setzen; sie bleibt, wo sie ist.</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Which folders are looked through; choosing one forgets it. Nothing in it is deleted.</source>
        <translation>Welche Ordner durchsucht werden; wählt man einen, wird er vergessen. Nichts darin wird gelöscht.</translation>
    </message>
    <message>
        <source>Load the last model at the start</source>
        <translation>Beim Start das letzte Modell laden</translation>
    </message>
    <message>
        <source>The model in use when Lacuna ended, however it ended, is loaded again at the next start.</source>
        <translation>Das Modell, das beim Ende von Lacuna in Gebrauch war, wie auch immer es endete, wird beim nächsten Start wieder geladen.</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Memory plan as a table</source>
        <translation>Speicherplan als Tabelle</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Show the plan as a table, and back (F4).</source>
        <translation>Den Plan als Tabelle zeigen, und zurück (F4).</translation>
    </message>
    <message>
        <source>Plan as a table</source>
        <translation>Plan als Tabelle</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>Von der Liste nehmen</translation>
    </message>
    <message>
        <source>The file stays where it is.</source>
        <translation>Die Datei bleibt, wo sie ist.</translation>
    </message>
    <message>
        <source>Delete files...</source>
        <translation>Dateien löschen...</translation>
    </message>
    <message>
        <source>Delete a downloaded model from the disk, after a question.</source>
        <translation>Ein heruntergeladenes Modell von der Platte löschen, nach einer Rückfrage.</translation>
    </message>
    <message>
        <source>Details...</source>
        <translation>Details...</translation>
    </message>
    <message>
        <source>Shape, tensors, tokenizer and the whole plan.</source>
        <translation>Form, Tensoren, Tokenizer und der ganze Plan.</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Give the memory of the model in use back.</source>
        <translation>Den Speicher des benutzten Modells zurückgeben.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop loading; the model before stays in use.</source>
        <translation>Das Laden anhalten; das Modell davor bleibt in Gebrauch.</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Load the chosen model; conversations stay.</source>
        <translation>Das gewählte Modell laden; Gespräche bleiben.</translation>
    </message>
    <message>
        <source>Progress of loading</source>
        <translation>Fortschritt des Ladens</translation>
    </message>
    <message>
        <source>Folder with models</source>
        <translation>Ordner mit Modellen</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Ein Modell hinzufügen</translation>
    </message>
    <message>
        <source>Models (*.gguf);;All files (*)</source>
        <translation>Modelle (*.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Looking for models in %1.</source>
        <translation>In %1 wird nach Modellen gesucht.</translation>
    </message>
    <message>
        <source>Delete a model</source>
        <translation>Ein Modell löschen</translation>
    </message>
    <message>
        <source>Delete %1 from the disk? This cannot be taken back.</source>
        <translation>%1 von der Platte löschen? Das lässt sich nicht zurücknehmen.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>%1 was deleted.</source>
        <translation>%1 wurde gelöscht.</translation>
    </message>
    <message>
        <source>Forget %1</source>
        <translation>%1 vergessen</translation>
    </message>
    <message>
        <source>No folder was added yet</source>
        <translation>Noch kein Ordner hinzugefügt</translation>
    </message>
    <message>
        <source>Choose a model.</source>
        <translation>Wählen Sie ein Modell.</translation>
    </message>
    <message>
        <source>%1 is being loaded.</source>
        <translation>%1 wird geladen.</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>No models yet: add a folder, drop a file here, or download one.</source>
        <translation>Noch keine Modelle: Fügen Sie einen Ordner hinzu, ziehen Sie eine Datei hierher, oder laden Sie eines herunter.</translation>
    </message>
    <message>
        <source>Choose a model to see what it takes.</source>
        <translation>Wählen Sie ein Modell, um zu sehen, was es braucht.</translation>
    </message>
    <message>
        <source>The file is being read.</source>
        <translation>Die Datei wird gelesen.</translation>
    </message>
    <message>
        <source>There is no plan for a model that would not load.</source>
        <translation>Für ein Modell, das sich nicht laden ließe, gibt es keinen Plan.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::NoticeBar</name>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Dismiss this notice</source>
        <translation>Diesen Hinweis schließen</translation>
    </message>
    <message>
        <source>Do what the notice offers</source>
        <translation>Tun, was der Hinweis anbietet</translation>
    </message>
    <message>
        <source>Problem: %1</source>
        <translation>Problem: %1</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PanelDock</name>
    <message>
        <source>Hide %1; the View menu shows it again</source>
        <translation>%1 verbergen; das Menü „Ansicht“ zeigt es wieder</translation>
    </message>
    <message>
        <source>Hide %1</source>
        <translation>%1 verbergen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ParetoPlot</name>
    <message>
        <source>KL, nats (mean)</source>
        <translation>KL, Nats (Mittel)</translation>
    </message>
    <message>
        <source>other likeliest token, share</source>
        <translation>anderes wahrscheinlichstes Token, Anteil</translation>
    </message>
    <message>
        <source>attention output error</source>
        <translation>Fehler der Attention-Ausgabe</translation>
    </message>
    <message>
        <source>%1: nothing was evicted, so nothing was measured</source>
        <translation>%1: Nichts wurde verdrängt, also nichts gemessen</translation>
    </message>
    <message>
        <source>%1: %2 of the bytes, KL %3, %4 same likeliest token</source>
        <translation>%1: %2 der Bytes, KL %3, %4 gleiches wahrscheinlichstes Token</translation>
    </message>
    <message>
        <source>, output error %1</source>
        <translation>, Ausgabefehler %1</translation>
    </message>
    <message>
        <source>Bytes and loss of every setting</source>
        <translation>Bytes und Verlust jeder Einstellung</translation>
    </message>
    <message>
        <source>%1 settings; the arrow keys go from one to the next in the order of bytes.</source>
        <translation>%1 Einstellungen; die Pfeiltasten gehen in der Reihenfolge der Bytes von einer zur nächsten.</translation>
    </message>
    <message>
        <source>Each setting becomes a point here: live bytes across, what is lost upward.</source>
        <translation>Jede Einstellung wird hier ein Punkt: quer die belegten Bytes, aufwärts der Verlust.</translation>
    </message>
    <message>
        <source>Nothing was measured of this.</source>
        <translation>Davon wurde nichts gemessen.</translation>
    </message>
    <message>
        <source>live bytes, % of an uncompressed cache</source>
        <translation>belegte Bytes, % eines unkomprimierten Caches</translation>
    </message>
    <message>
        <source>%1: not tried yet</source>
        <translation>%1: noch nicht versucht</translation>
    </message>
    <message>
        <source>Each setting becomes a point as soon as it was tried.</source>
        <translation>Jede Einstellung wird ein Punkt, sobald sie versucht wurde.</translation>
    </message>
    <message>
        <source>The first setting is being tried.</source>
        <translation>Die erste Einstellung wird gerade versucht.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PinsDialog</name>
    <message>
        <source>Go to</source>
        <translation>Hingehen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Loslösen</translation>
    </message>
    <message>
        <source>Unpin all</source>
        <translation>Alle loslösen</translation>
    </message>
    <message>
        <source>Pinned words</source>
        <translation>Angeheftete Wörter</translation>
    </message>
    <message>
        <source>Pinned words of this conversation</source>
        <translation>Angeheftete Wörter dieses Gesprächs</translation>
    </message>
    <message>
        <source>Nothing is pinned. Mark words in the chat and choose Pin: no compaction forgets them from then on.</source>
        <translation>Nichts ist angeheftet. Markieren Sie Wörter im Chat und wählen Sie „Anheften“: keine Verdichtung vergisst sie von da an.</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Their tokens are counted with the next question.</source>
        <translation>Keine Verdichtung vergisst diese Wörter. Ihre Token werden mit der nächsten Frage gezählt.</translation>
    </message>
    <message>
        <source>%1 (tokens: %2, forgotten before: %3)</source>
        <translation>%1 (Token: %2, vorher vergessen: %3)</translation>
    </message>
    <message>
        <source>%1 (tokens: %2)</source>
        <translation>%1 (Token: %2)</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Tokens: %1, which are %2 in an uncompressed cache; they count within the budget.</source>
        <translation>Keine Verdichtung vergisst diese Wörter. Token: %1, das sind %2 in einem unverdichteten Cache; sie zählen zum Budget.</translation>
    </message>
    <message>
        <source>No compaction forgets these words. Tokens: %1; they count within the budget.</source>
        <translation>Keine Verdichtung vergisst diese Wörter. Token: %1; sie zählen zum Budget.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreparePage</name>
    <message>
        <source>stale, not used: %1</source>
        <translation>veraltet, nicht benutzt: %1</translation>
    </message>
    <message>
        <source>there, of this model</source>
        <translation>vorhanden, von diesem Modell</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>nicht vorhanden</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>A smaller model of the same vocabulary that guesses ahead; the text stays the same.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular, das vorausrät; der Text bleibt derselbe.</translation>
    </message>
    <message>
        <source>&amp;Draft model</source>
        <translation>&amp;Entwurfsmodell</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Calibrate: %1</source>
        <translation>Kalibrieren: %1</translation>
    </message>
    <message>
        <source>Calibrations</source>
        <translation>Kalibrierungen</translation>
    </message>
    <message>
        <source>Number format of the new file</source>
        <translation>Zahlenformat der neuen Datei</translation>
    </message>
    <message>
        <source>Write...</source>
        <translation>Schreiben...</translation>
    </message>
    <message>
        <source>Write the model in this format</source>
        <translation>Das Modell in diesem Format schreiben</translation>
    </message>
    <message>
        <source>&amp;Write as GGUF</source>
        <translation>Als &amp;GGUF schreiben</translation>
    </message>
    <message>
        <source>Write the model</source>
        <translation>Das Modell schreiben</translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation>Modelle (*.gguf)</translation>
    </message>
    <message>
        <source>Save...</source>
        <translation>Speichern...</translation>
    </message>
    <message>
        <source>Save the cache of the conversation to a file</source>
        <translation>Den Cache des Gesprächs in einer Datei speichern</translation>
    </message>
    <message>
        <source>Load...</source>
        <translation>Laden...</translation>
    </message>
    <message>
        <source>Load a cache into the conversation</source>
        <translation>Einen Cache in das Gespräch laden</translation>
    </message>
    <message>
        <source>Conversation&apos;s cache</source>
        <translation>Cache des Gesprächs</translation>
    </message>
    <message>
        <source>Save the cache</source>
        <translation>Den Cache speichern</translation>
    </message>
    <message>
        <source>Caches (*.kvcache)</source>
        <translation>Caches (*.kvcache)</translation>
    </message>
    <message>
        <source>Load a cache</source>
        <translation>Einen Cache laden</translation>
    </message>
    <message>
        <source>Caches (*.kvcache);;All files (*)</source>
        <translation>Caches (*.kvcache);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Cache formats...</source>
        <translation>Cache-Formate...</translation>
    </message>
    <message>
        <source>Presets and bits of the cache, measured on the model in use</source>
        <translation>Voreinstellungen und Bits des Caches, gemessen am benutzten Modell</translation>
    </message>
    <message>
        <source>Quality...</source>
        <translation>Qualität...</translation>
    </message>
    <message>
        <source>The quality table of the model in use</source>
        <translation>Die Qualitätstabelle des benutzten Modells</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>The work on a model file</source>
        <translation>Die Arbeit an einer Modelldatei</translation>
    </message>
    <message>
        <source>Progress of the work on a model file</source>
        <translation>Fortschritt der Arbeit an einer Modelldatei</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop the work; nothing of it is kept</source>
        <translation>Die Arbeit anhalten; nichts davon wird behalten</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>Modell neu laden</translation>
    </message>
    <message>
        <source>Choose a model on the first tab.</source>
        <translation>Wählen Sie ein Modell auf dem ersten Reiter.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keines</translation>
    </message>
    <message>
        <source>A smaller model of the same vocabulary that guesses ahead: answers come faster where it guesses right, and stay the same.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular, das vorausrät: Antworten kommen schneller, wo es richtig rät, und bleiben dieselben.</translation>
    </message>
    <message>
        <source>It counts from the next loading of the model on; the setting draft_tokens says how far it guesses.</source>
        <translation>Es gilt ab dem nächsten Laden des Modells; die Einstellung draft_tokens sagt, wie weit es rät.</translation>
    </message>
    <message>
        <source>Other work on a model file runs. Wait for its end or stop it.</source>
        <translation>Andere Arbeit an einer Modelldatei läuft. Warten Sie auf ihr Ende, oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>Its weights are %1 already; fewer bits are made of a file with F32, F16 or BF16 weights.</source>
        <translation>Seine Gewichte sind schon %1; weniger Bits werden aus einer Datei mit Gewichten in F32, F16 oder BF16 gemacht.</translation>
    </message>
    <message>
        <source>Writes a new file; this one stays as it is.</source>
        <translation>Schreibt eine neue Datei; diese bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>Eine Antwort wird geschrieben. Halten Sie sie zuerst an.</translation>
    </message>
    <message>
        <source>%1 tokens that need not be read again, for this model and these cache settings. Whoever has the file can read the conversation in it.</source>
        <translation>%1 Token, die nicht noch einmal gelesen werden müssen; gilt für dieses Modell und diese Cache-Einstellungen. Wer die Datei hat, kann das Gespräch darin lesen.</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>Von diesem Gespräch ist noch nichts im Cache.</translation>
    </message>
    <message>
        <source>Stopping...</source>
        <translation>Wird angehalten...</translation>
    </message>
    <message>
        <source>Calibrating and writing take minutes, at low priority beside the conversation; each reads the model into memory of its own.</source>
        <translation>Kalibrieren und Schreiben dauern Minuten und laufen mit niedriger Priorität neben dem Gespräch; jedes lädt das Modell noch einmal in den Speicher.</translation>
    </message>
    <message>
        <source>The cache of the conversation</source>
        <translation>Der Cache des Gesprächs</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProfilePanel</name>
    <message>
        <source>Save...</source>
        <translation>Speichern...</translation>
    </message>
    <message>
        <source>Save these settings as a profile of your own</source>
        <translation>Diese Einstellungen als eigenes Profil speichern</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Rename or delete this profile</source>
        <translation>Dieses Profil umbenennen oder löschen</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Profile of the cache&apos;s settings</source>
        <translation>Profil der Cache-Einstellungen</translation>
    </message>
    <message>
        <source>Rename...</source>
        <translation>Umbenennen...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Own settings</source>
        <translation>Eigenes</translation>
    </message>
    <message>
        <source>Only a profile of your own can be changed.</source>
        <translation>Nur ein eigenes Profil lässt sich ändern.</translation>
    </message>
    <message>
        <source>In force from the next token of this answer on.</source>
        <translation>In Kraft ab dem nächsten Token dieser Antwort.</translation>
    </message>
    <message>
        <source>In force; this conversation is compacted when its next answer needs it, or at once by Compact now.</source>
        <translation>In Kraft; dieses Gespräch wird verdichtet, wenn seine nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Save profile</source>
        <translation>Profil speichern</translation>
    </message>
    <message>
        <source>My profile</source>
        <translation>Mein Profil</translation>
    </message>
    <message>
        <source>Rename profile</source>
        <translation>Profil umbenennen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PromptBox</name>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <source>%1  %2, %3 characters</source>
        <translation>%1  %2, %3 Zeichen</translation>
    </message>
    <message>
        <source>Write something first.</source>
        <translation>Schreiben Sie zuerst etwas.</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Senden (Eingabe)</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Antwort anhalten (Esc)</translation>
    </message>
    <message>
        <source>Attach texts or source code; files can be dropped here, too (Ctrl+Shift+A)</source>
        <translation>Texte oder Quellcode anhängen; Dateien lassen sich auch hierher ziehen (Strg+Umschalt+A)</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Remove the attached text %1</source>
        <translation>Den angehängten Text %1 entfernen</translation>
    </message>
    <message>
        <source>%1  %2, %3 tokens</source>
        <translation>%1  %2, %3 Token</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AttachmentController</name>
    <message>
        <source>%1 is the report of a session.</source>
        <translation>%1 ist der Bericht einer Sitzung.</translation>
    </message>
    <message>
        <source>Open the session</source>
        <translation>Sitzung öffnen</translation>
    </message>
    <message>
        <source>Attach as text</source>
        <translation>Als Text anhängen</translation>
    </message>
    <message>
        <source>Too long: about %1 tokens, and the context has room for %2.</source>
        <translation>Zu lang: etwa %1 Token, und der Kontext hat Platz für %2.</translation>
    </message>
    <message>
        <source>Shorten or remove “%1”.</source>
        <translation>„%1“ kürzen oder entfernen.</translation>
    </message>
    <message>
        <source>Shorten the question, or start a new conversation.</source>
        <translation>Frage kürzen oder ein neues Gespräch beginnen.</translation>
    </message>
    <message>
        <source>Shorten the question, or raise the context.</source>
        <translation>Frage kürzen oder den Kontext vergrößern.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PromptEdit</name>
    <message>
        <source>Ask something. Enter sends, Shift+Enter starts a new line.</source>
        <translation>Fragen Sie etwas. Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile.</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line.</source>
        <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MeasureFooter</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>Von vorn</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Forget what was measured and measure everything again.</source>
        <translation>Das Gemessene vergessen und alles neu messen.</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>Messung anhalten</translation>
    </message>
    <message>
        <source>What was measured is kept.</source>
        <translation>Was gemessen wurde, bleibt erhalten.</translation>
    </message>
    <message>
        <source>%1 of %2 measured; it can be gone on with.</source>
        <translation>%1 von %2 gemessen; es kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Hält an…</translation>
    </message>
    <message>
        <source>%1 of %2 settings on texts measured</source>
        <translation>%1 von %2 Einstellungen auf Texten gemessen</translation>
    </message>
    <message>
        <source>Making the questions, %1</source>
        <translation>Fragen werden erzeugt, %1</translation>
    </message>
    <message>
        <source>, about %1 left</source>
        <translation>, noch etwa %1</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Everything is measured. Start over measures it again.</source>
        <translation>Alles ist gemessen. „Von vorn“ misst es neu.</translation>
    </message>
    <message>
        <source>%1 (Ctrl+Enter). A question that is asked meanwhile comes first.</source>
        <translation>%1 (Strg+Eingabe). Eine Frage, die inzwischen gestellt wird, kommt zuerst.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::QualityWindow</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>%1 texts left as they were</source>
        <translation>%1 Texte unverändert</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>RULER</source>
        <translation>RULER</translation>
    </message>
    <message>
        <source>KL mean</source>
        <translation>KL, Mittel</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Bytes left</source>
        <translation>Bytes übrig</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>Belegte Bytes</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Bemerkung</translation>
    </message>
    <message>
        <source>Attention matching (am) with each way to divide slots among heads, and eviction by each policy. Other settings as the program starts. Questions marks a profile made with questions of the tested kinds: a bench option.</source>
        <translation>Attention Matching (am) mit jeder Art, Slots auf Köpfe zu verteilen, und Verdrängung nach jeder Regel. Andere Einstellungen wie beim Programmstart. „Fragen“ kennzeichnet ein Profil, das mit Fragen der geprüften Art entstand: nur für Messungen.</translation>
    </message>
    <message>
        <source>How many times smaller the cache was asked to get.</source>
        <translation>Wievielmal kleiner der Cache werden sollte.</translation>
    </message>
    <message>
        <source>Of the dialogues that the whole cache answers, those answered right by the compacted one. Compacted when the text is read, before the question.</source>
        <translation>Von den Dialogen, die der ganze Cache beantwortet, die vom verdichteten richtig beantworteten. Verdichtet wird nach dem Lesen des Textes, vor der Frage.</translation>
    </message>
    <message>
        <source>Mean score over RULER&apos;s thirteen tasks, as a share of the whole cache&apos;s. The question is withheld until the text is compacted.</source>
        <translation>Mittlere Wertung über die dreizehn Aufgaben von RULER, als Anteil derer des ganzen Caches. Die Frage wird zurückgehalten, bis der Text verdichtet ist.</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from the whole cache&apos;s, in nats, mean over running text that follows the compaction.</source>
        <translation>Divergenz der Verteilung des nächsten Tokens von der des ganzen Caches, in Nats, Mittel über laufenden Text nach der Verdichtung.</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>Dasselbe beim 99. Perzentil der Positionen.</translation>
    </message>
    <message>
        <source>Of the same running text, with the compacted cache.</source>
        <translation>Desselben laufenden Textes, mit dem verdichteten Cache.</translation>
    </message>
    <message>
        <source>Bytes really held after the compaction, with positions and marks, of those of an uncompressed cache.</source>
        <translation>Nach der Verdichtung wirklich gehaltene Bytes, mit Positionen und Marken, von denen eines unkomprimierten Caches.</translation>
    </message>
    <message>
        <source>The same in bytes, mean of a text.</source>
        <translation>Dasselbe in Bytes, Mittel eines Textes.</translation>
    </message>
    <message>
        <source>Mean time of a compaction, with the passes for its queries, on this machine.</source>
        <translation>Mittlere Zeit einer Verdichtung mit den Durchgängen für ihre Abfragen, auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Why there are no figures, or how many texts are not in them.</source>
        <translation>Warum keine Zahlen da sind, oder wie viele Texte darin fehlen.</translation>
    </message>
    <message>
        <source>%1 texts, %2 RULER questions, %3 positions of text</source>
        <translation>%1 Texte, %2 RULER-Fragen, %3 Textpositionen</translation>
    </message>
    <message>
        <source>Quality of this model</source>
        <translation>Qualität dieses Modells</translation>
    </message>
    <message>
        <source>Small: minutes</source>
        <translation>Klein: Minuten</translation>
    </message>
    <message>
        <source>Whole: hours</source>
        <translation>Ganz: Stunden</translation>
    </message>
    <message>
        <source>Small: six dialogues, RULER at 1,024 tokens once, two windows of text. Whole: 45 dialogues, RULER at 4,096 tokens four times, ten windows. Each at 2, 4, 8, 16 and 32 times.</source>
        <translation>Klein: sechs Dialoge, RULER mit 1.024 Token einmal, zwei Textfenster. Ganz: 45 Dialoge, RULER mit 4.096 Token viermal, zehn Fenster. Jeweils 2-, 4-, 8-, 16- und 32-fach.</translation>
    </message>
    <message>
        <source>How much is measured</source>
        <translation>Wie viel gemessen wird</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Put the table on the clipboard, as Markdown.</source>
        <translation>Die Tabelle als Markdown in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Write the table to a file, as CSV or Markdown.</source>
        <translation>Die Tabelle in eine Datei schreiben, als CSV oder Markdown.</translation>
    </message>
    <message>
        <source>The table is on the clipboard.</source>
        <translation>Die Tabelle ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <source>With the whole cache: %1 dialogues answered, RULER asked %2 questions, perplexity %3, %4 a text.</source>
        <translation>Mit dem ganzen Cache: %1 Dialoge beantwortet, RULER mit %2 Fragen, Perplexität %3, %4 je Text.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>Not measured on this model.</source>
        <translation>Auf diesem Modell nicht gemessen.</translation>
    </message>
    <message>
        <source>Quality of this model, methods by ratios</source>
        <translation>Qualität dieses Modells, Methoden nach Verhältnissen</translation>
    </message>
    <message>
        <source>Measure tries every method at each ratio and says what is lost: recall, RULER, KL, perplexity, bytes.</source>
        <translation>„Messen“ versucht jede Methode bei jedem Verhältnis und sagt, was verloren geht: Recall, RULER, KL, Perplexität, Bytes.</translation>
    </message>
    <message>
        <source>It goes on in pauses of the conversation, and can be stopped and gone on with.</source>
        <translation>Das läuft in den Pausen des Gesprächs und lässt sich anhalten und fortsetzen.</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>bisher %1 von %2 Texten</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheFormatPanel</name>
    <message>
        <source>The cache goes from %1 to %2 between steps; %3 of its rows are coded.</source>
        <translation>Der Cache geht zwischen Schritten von %1 zu %2 über; %3 seiner Zeilen sind codiert.</translation>
    </message>
    <message>
        <source>Cancel the change</source>
        <translation>Wechsel abbrechen</translation>
    </message>
    <message>
        <source>Rows coded again</source>
        <translation>Umcodierte Zeilen</translation>
    </message>
    <message>
        <source>What the cache is was not asked for by settings, so there is nothing to go back to.</source>
        <translation>Das Format des Caches kam nicht aus Einstellungen, also gibt es nichts, wohin es zurückgehen könnte.</translation>
    </message>
    <message>
        <source>Back to %1. The cache is what it was until all of its rows are coded, so nothing is lost.</source>
        <translation>Zurück zu %1. Der Cache ist, was er war, bis alle seine Zeilen codiert sind, also geht nichts verloren.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecordedView</name>
    <message>
        <source>A recorded session is shown. Close it to go on with the live one.</source>
        <translation>Eine aufgezeichnete Sitzung ist zu sehen. Schließen Sie sie, um mit der laufenden fortzufahren.</translation>
    </message>
    <message>
        <source>Nothing was asked before this moment.</source>
        <translation>Bis hierher wurde nichts gefragt.</translation>
    </message>
    <message>
        <source>The report says nothing of the cache at this moment.</source>
        <translation>Der Bericht sagt zu diesem Zeitpunkt nichts über den Cache.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemoteFigures</name>
    <message>
        <source>An engine</source>
        <translation>Eine Engine</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 unter %2</translation>
    </message>
    <message>
        <source>, context of %1 tokens</source>
        <translation>, Kontext von %1 Token</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Model of this engine</source>
        <translation>Modell dieser Engine</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>So far</source>
        <translation>Insgesamt</translation>
    </message>
    <message>
        <source>As it stands, or what it came to each second or in the mean since the look before, one second ago.</source>
        <translation>Wie es steht, oder was je Sekunde oder im Mittel seit dem letzten Blick vor einer Sekunde dazukam.</translation>
    </message>
    <message>
        <source>Since the engine began; of times their mean.</source>
        <translation>Seit dem Start der Engine; bei Zeiten deren Mittel.</translation>
    </message>
    <message>
        <source>Figures of this engine</source>
        <translation>Kennzahlen dieser Engine</translation>
    </message>
    <message>
        <source>What it reports of what is known here; a dash where it reports nothing.</source>
        <translation>Was sie von dem hier Bekannten meldet; ein Strich, wo sie nichts meldet.</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>nicht gemeldet</translation>
    </message>
    <message>
        <source>Slot %1: %2</source>
        <translation>Slot %1: %2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemoteWindow</name>
    <message>
        <source>Engines elsewhere</source>
        <translation>Engines anderswo</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Engines</translation>
    </message>
    <message>
        <source>Engines that were named before</source>
        <translation>Bisher genannte Engines</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>Name another engine</source>
        <translation>Eine weitere Engine nennen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Forget this engine and its key</source>
        <translation>Diese Engine und ihren Schlüssel vergessen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>As you call it</source>
        <translation>Wie Sie sie nennen</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>http://127.0.0.1:8080</source>
        <translation>http://127.0.0.1:8080</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Ask it for its models and its metrics</source>
        <translation>Nach ihren Modellen und Kennzahlen fragen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Keep it in the list</source>
        <translation>In der Liste behalten</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Let it answer in place of the local engine</source>
        <translation>Anstelle der lokalen Engine antworten lassen</translation>
    </message>
    <message>
        <source>Removed, with its key.</source>
        <translation>Entfernt, samt Schlüssel.</translation>
    </message>
    <message>
        <source>Asking ...</source>
        <translation>Fragt ...</translation>
    </message>
    <message>
        <source>Disconnected. The local engine answers again.</source>
        <translation>Getrennt. Die lokale Engine antwortet wieder.</translation>
    </message>
    <message>
        <source>Connecting ...</source>
        <translation>Verbindet ...</translation>
    </message>
    <message>
        <source>%1 (answers)</source>
        <translation>%1 (antwortet)</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Let the local engine answer again</source>
        <translation>Die lokale Engine wieder antworten lassen</translation>
    </message>
    <message>
        <source>Kept; type to replace it</source>
        <translation>Gespeichert; zum Ersetzen tippen</translation>
    </message>
    <message>
        <source>Problem: %1</source>
        <translation>Problem: %1</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Another engine can answer the conversations of this window: vLLM, SGLang, llama-server, another Lacuna, or any that speaks OpenAI&apos;s API. Nothing is sent to it before you test it or connect.</source>
        <translation>Eine andere Engine kann die Gespräche dieses Fensters beantworten: vLLM, SGLang, llama-server, ein anderes Lacuna oder jede andere mit der API von OpenAI. Gesendet wird ihr erst etwas, wenn Sie prüfen oder verbinden.</translation>
    </message>
    <message>
        <source>Engines that you save stand here.</source>
        <translation>Gespeicherte Engines stehen hier.</translation>
    </message>
    <message>
        <source>none</source>
        <comment>key</comment>
        <translation>keiner</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ReportExporter</name>
    <message>
        <source>The window when the report was written</source>
        <translation>Das Fenster beim Schreiben des Berichts</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RetentionPresenter</name>
    <message>
        <source>%1 does not report what its cache holds.</source>
        <translation>%1 meldet nicht, was der Cache hält.</translation>
    </message>
    <message>
        <source>What the cache holds of each token appears here after the answer.</source>
        <translation>Was der Cache von jedem Token hält, erscheint hier nach der Antwort.</translation>
    </message>
    <message>
        <source>This conversation has no cache now: its next question reads the text again.</source>
        <translation>Dieses Gespräch hat jetzt keinen Cache: Die nächste Frage liest den Text neu.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RetentionStrip</name>
    <message>
        <source>Retention</source>
        <translation>Verbleib</translation>
    </message>
    <message>
        <source>%1 tokens: %2 kept everywhere, %3 merged, %4 in part, %5 evicted.</source>
        <translation>%1 Token: %2 überall erhalten, %3 verschmolzen, %4 teilweise, %5 verdrängt.</translation>
    </message>
    <message>
        <source>What the cache still holds of each token appears here after the first prompt.</source>
        <translation>Was der Cache von jedem Token noch hält, erscheint hier nach dem ersten Prompt.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RotationPanel</name>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Load the model again</source>
        <translation>Modell neu laden</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Progress of the calibration</source>
        <translation>Fortschritt der Kalibrierung</translation>
    </message>
    <message>
        <source>Stop the calibration</source>
        <translation>Kalibrierung anhalten</translation>
    </message>
    <message>
        <source>Nothing of it is kept.</source>
        <translation>Nichts davon wird behalten.</translation>
    </message>
    <message>
        <source>Rotations count from the loading of a model on. Conversations are read again with their next question.</source>
        <translation>Rotationen gelten ab dem Laden des Modells. Gespräche werden mit ihrer nächsten Frage neu gelesen.</translation>
    </message>
    <message>
        <source>Reads a text of 30,000 tokens while nothing is answered, and finds for each head what its codes are best turned by. A question that is asked meanwhile comes first.</source>
        <translation>Liest einen Text von 30.000 Token, solange nichts beantwortet wird, und findet für jeden Kopf, womit seine Codes am besten gedreht werden. Eine Frage, die inzwischen gestellt wird, kommt zuerst.</translation>
    </message>
    <message>
        <source>Calibrate rotations</source>
        <translation>Rotationen kalibrieren</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ServerWindow</name>
    <message>
        <source>Asked at</source>
        <translation>Gefragt um</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>Übernommen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Tokens of the prompt</source>
        <translation>Token des Prompts</translation>
    </message>
    <message>
        <source>Tokens of the prompt that a cache held already</source>
        <translation>Token des Prompts, die ein Cache schon hielt</translation>
    </message>
    <message>
        <source>Tokens of the answer so far</source>
        <translation>Bisherige Token der Antwort</translation>
    </message>
    <message>
        <source>From the question to the end of the answer, or to now</source>
        <translation>Von der Frage bis zum Ende der Antwort, oder bis jetzt</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>reads, %1 of %2</source>
        <translation>liest, %1 von %2</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>done (%1)</source>
        <translation>fertig (%1)</translation>
    </message>
    <message>
        <source>broken off</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>gescheitert: %1</translation>
    </message>
    <message>
        <source>The server is off</source>
        <translation>Der Server ist aus</translation>
    </message>
    <message>
        <source>The server is starting</source>
        <translation>Der Server startet</translation>
    </message>
    <message>
        <source>The server is on at %1</source>
        <translation>Der Server läuft unter %1</translation>
    </message>
    <message>
        <source>The server finishes what it is answering</source>
        <translation>Der Server beendet, was er gerade beantwortet</translation>
    </message>
    <message>
        <source>No socket is open. Switched on, it answers programs with the model of this window, side by side with the conversation. It is off again with the next start of Lacuna.</source>
        <translation>Kein Socket ist offen. Eingeschaltet antwortet er Programmen mit dem Modell dieses Fensters, neben dem Gespräch. Beim nächsten Start von Lacuna ist er wieder aus.</translation>
    </message>
    <message>
        <source>It takes no new connections and switches off after the last answer. Switch it off again to break off what is left.</source>
        <translation>Er nimmt keine neuen Verbindungen an und schaltet nach der letzten Antwort ab. Noch einmal ausschalten bricht den Rest ab.</translation>
    </message>
    <message>
        <source>No model is loaded: requests are answered 503 until one is.</source>
        <translation>Kein Modell ist geladen: Anfragen werden bis dahin mit 503 beantwortet.</translation>
    </message>
    <message>
        <source>Programs ask for “%1”. Settings of the cache are those of this window.</source>
        <translation>Programme fragen nach „%1“. Die Cache-Einstellungen sind die dieses Fensters.</translation>
    </message>
    <message>
        <source>Answers stand here while the server is on; figures alone, no word of them.</source>
        <translation>Antworten stehen hier, solange der Server läuft; nur Zahlen, kein Wort davon.</translation>
    </message>
    <message>
        <source>Answered now: %1, waiting: %2, connections: %3, requests so far: %4</source>
        <translation>In Arbeit: %1, wartend: %2, Verbindungen: %3, Anfragen bisher: %4</translation>
    </message>
    <message>
        <source>; %1 tokens/s together</source>
        <translation>; zusammen %1 Token/s</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>Answers and clients</source>
        <translation>Antworten und Clients</translation>
    </message>
    <message>
        <source>What the server does</source>
        <translation>Was der Server tut</translation>
    </message>
    <message>
        <source>This machine alone</source>
        <translation>Nur dieser Rechner</translation>
    </message>
    <message>
        <source>This machine alone, IPv6</source>
        <translation>Nur dieser Rechner, IPv6</translation>
    </message>
    <message>
        <source>Other machines too; needs a key</source>
        <translation>Auch andere Rechner; braucht einen Schlüssel</translation>
    </message>
    <message>
        <source>127.0.0.1 answers this machine alone. 0.0.0.0 answers other machines too: that needs a key, and what is said travels unencrypted.</source>
        <translation>127.0.0.1 antwortet nur diesem Rechner. 0.0.0.0 antwortet auch anderen Rechnern: Das braucht einen Schlüssel, und was gesagt wird, reist unverschlüsselt.</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>name of the model&apos;s file</source>
        <translation>Name der Modelldatei</translation>
    </message>
    <message>
        <source>Answers that are written at once, each with a cache of its own; further questions wait. The conversation of this window comes besides.</source>
        <translation>Antworten, die zugleich geschrieben werden, jede mit eigenem Cache; weitere Fragen warten. Das Gespräch dieses Fensters kommt hinzu.</translation>
    </message>
    <message>
        <source>&amp;Port</source>
        <translation>&amp;Port</translation>
    </message>
    <message>
        <source>A&amp;nswers at once</source>
        <translation>A&amp;ntworten zugleich</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>0 takes a free one.</source>
        <translation>0 nimmt einen freien.</translation>
    </message>
    <message>
        <source>Name of the model for clients</source>
        <translation>Name des Modells für Clients</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>Antworten zugleich</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>&amp;Schlüssel</translation>
    </message>
    <message>
        <source>&amp;Model name</source>
        <translation>&amp;Modellname</translation>
    </message>
    <message>
        <source>none: every program on this machine may ask</source>
        <translation>keiner: Jeder auf diesem Rechner darf fragen</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Clients send it with each request. Empty: nobody needs one.</source>
        <translation>Clients senden ihn mit jeder Anfrage. Leer: Niemand braucht einen.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the key</source>
        <translation>Schlüssel zeigen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>Erzeugen</translation>
    </message>
    <message>
        <source>Generate a key</source>
        <translation>Schlüssel erzeugen</translation>
    </message>
    <message>
        <source>A new key of 32 random letters and digits, in place of this one. It is kept in a file that nobody else may read.</source>
        <translation>Ein neuer Schlüssel aus 32 zufälligen Buchstaben und Ziffern anstelle des jetzigen. Er liegt in einer Datei, die niemand sonst lesen darf.</translation>
    </message>
    <message>
        <source>Answers of the server, newest first</source>
        <translation>Antworten des Servers, neueste zuerst</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>With the key in it</source>
        <translation>Mit dem Schlüssel darin</translation>
    </message>
    <message>
        <source>Else the text takes the key from the variable LACUNA_API_KEY of the environment.</source>
        <translation>Sonst nimmt der Text den Schlüssel aus der Umgebungsvariablen LACUNA_API_KEY.</translation>
    </message>
    <message>
        <source>Copy the text for this client</source>
        <translation>Den Text für diesen Client kopieren</translation>
    </message>
    <message>
        <source>How this client asks the server</source>
        <translation>Wie dieser Client den Server fragt</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>Einschalten</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>Ausschalten</translation>
    </message>
    <message>
        <source>Open the socket and answer requests.</source>
        <translation>Den Socket öffnen und Anfragen beantworten.</translation>
    </message>
    <message>
        <source>Take nothing new, and close the socket after the last answer.</source>
        <translation>Nichts Neues annehmen und den Socket nach der letzten Antwort schließen.</translation>
    </message>
    <message>
        <source>Close the sockets; what is being answered is broken off.</source>
        <translation>Die Sockets schließen; was gerade beantwortet wird, wird abgebrochen.</translation>
    </message>
    <message>
        <source>Switch the server on</source>
        <translation>Server einschalten</translation>
    </message>
    <message>
        <source>Switch the server off</source>
        <translation>Server ausschalten</translation>
    </message>
    <message>
        <source>Switch the server off to change this.</source>
        <translation>Schalten Sie den Server aus, um dies zu ändern.</translation>
    </message>
    <message>
        <source>How programs name the model when they ask; further names after commas.</source>
        <translation>Wie Programme das Modell nennen, wenn sie fragen; weitere Namen nach Kommas.</translation>
    </message>
    <message>
        <source>&amp;Embeddings</source>
        <translation>&amp;Einbettungen</translation>
    </message>
    <message>
        <source>mean of all tokens</source>
        <translation>Mittel aller Token</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>last token</source>
        <translation>letztes Token</translation>
    </message>
    <message>
        <source>one for each token</source>
        <translation>eine je Token</translation>
    </message>
    <message>
        <source>Vectors of texts (/v1/embeddings), and of which tokens one is made.</source>
        <translation>Vektoren von Texten (/v1/embeddings), und aus welchen Token einer entsteht.</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>Einbettungen</translation>
    </message>
    <message>
        <source>none: nothing is saved</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>Folder in which clients may save the cache of a slot and restore it (/slots/0?action=save).</source>
        <translation>Ordner, in dem Clients den Cache eines Slots speichern und von dort wiederherstellen dürfen (/slots/0?action=save).</translation>
    </message>
    <message>
        <source>Folder for saved caches</source>
        <translation>Ordner für gespeicherte Caches</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>Wählen...</translation>
    </message>
    <message>
        <source>Choose the folder for saved caches</source>
        <translation>Den Ordner für gespeicherte Caches wählen</translation>
    </message>
    <message>
        <source>Saved &amp;caches</source>
        <translation>Gespeicherte &amp;Caches</translation>
    </message>
    <message>
        <source>Nothing was asked of the server in this run. The tab Clients has what a program needs to ask it.</source>
        <translation>Seit dem Start kam keine Anfrage an den Server. Was ein Programm dafür braucht, steht im Reiter „Clients“.</translation>
    </message>
    <message>
        <source>none</source>
        <comment>embeddings</comment>
        <translation>keine</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SessionList</name>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>Start a conversation (Ctrl+N)</source>
        <translation>Ein Gespräch beginnen (Strg+N)</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neues Gespräch</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Gespräche durchsuchen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Neither a title nor a message has “%1”.</source>
        <translation>Weder ein Titel noch eine Nachricht enthält „%1“.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ShortcutSheet</name>
    <message>
        <source>Slider: one step</source>
        <translation>Schieber: ein Schritt</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>Links, Rechts</translation>
    </message>
    <message>
        <source>Slider: coarse step</source>
        <translation>Schieber: grober Schritt</translation>
    </message>
    <message>
        <source>Page Up, Page Down</source>
        <translation>Bild auf, Bild ab</translation>
    </message>
    <message>
        <source>Slider: ends</source>
        <translation>Schieber: Enden</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Pos1, Ende</translation>
    </message>
    <message>
        <source>Slider: exact value</source>
        <translation>Schieber: genauer Wert</translation>
    </message>
    <message>
        <source>type digits</source>
        <translation>Ziffern tippen</translation>
    </message>
    <message>
        <source>Prompt: send</source>
        <translation>Prompt: senden</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Prompt: new line</source>
        <translation>Prompt: neue Zeile</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Eingabe</translation>
    </message>
    <message>
        <source>Search: to the conversations found</source>
        <translation>Suche: zu den gefundenen Gesprächen</translation>
    </message>
    <message>
        <source>Down, Enter</source>
        <translation>Ab, Eingabe</translation>
    </message>
    <message>
        <source>Compare, sweep: begin</source>
        <translation>Vergleich, Messreihe: beginnen</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Strg+Eingabe</translation>
    </message>
    <message>
        <source>Chart: zoom, pan, all</source>
        <translation>Diagramm: Zoom, Verschieben, alles</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Controls</source>
        <translation>Bedienung</translation>
    </message>
    <message>
        <source>No action and no key has these words.</source>
        <translation>Keine Aktion und keine Taste enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>Aktionen und Tasten suchen</translation>
    </message>
    <message>
        <source>Words of an action, its menu or its keys; Down goes to what is left.</source>
        <translation>Wörter einer Aktion, ihres Menüs oder ihrer Tasten; Abwärts geht zu dem, was bleibt.</translation>
    </message>
    <message>
        <source>Ctrl+wheel, drag, double-click</source>
        <translation>Strg+Rad, Ziehen, Doppelklick</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::StatusLine</name>
    <message>
        <source>KV %1 / %2</source>
        <translation>KV %1 / %2</translation>
    </message>
    <message>
        <source>KV %1 in use</source>
        <translation>KV %1 in Gebrauch</translation>
    </message>
    <message>
        <source>KV not reported</source>
        <translation>KV nicht gemeldet</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>steht</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>kein Modell</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>reading prompt</source>
        <translation>liest den Prompt</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>What is written here is not on disk; the timeline says why</source>
        <translation>Was hier geschrieben wird, ist nicht auf der Platte; die Zeitleiste sagt, warum</translation>
    </message>
    <message>
        <source>Engine state</source>
        <translation>Zustand der Engine</translation>
    </message>
    <message>
        <source>What the engine does now</source>
        <translation>Was die Engine gerade tut</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Resident memory of the whole program</source>
        <translation>Speicher, den das ganze Programm belegt</translation>
    </message>
    <message>
        <source>Cache bytes</source>
        <translation>Bytes des Caches</translation>
    </message>
    <message>
        <source>Keys and values: live (valid slots) / allocated (buffers)</source>
        <translation>Schlüssel und Werte: belegt (gültige Slots) / reserviert (Puffer)</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>Starts of texts that are kept for other conversations (prefix_cache); rows that conversations hold as well take no second copy</source>
        <translation>Anfänge von Texten, die für andere Gespräche aufbewahrt werden (prefix_cache); Zeilen, die auch Gespräche halten, brauchen keine zweite Kopie</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Compute threads</source>
        <translation>Rechenthreads</translation>
    </message>
    <message>
        <source>Dropped samples</source>
        <translation>Ausgelassene Proben</translation>
    </message>
    <message>
        <source>Telemetry samples left out because the window stood still</source>
        <translation>Telemetrie-Proben, die ausgelassen wurden, weil das Fenster stillstand</translation>
    </message>
    <message>
        <source>Settings generation</source>
        <translation>Stand der Einstellungen</translation>
    </message>
    <message>
        <source>Generation of the settings in force</source>
        <translation>Stand der geltenden Einstellungen</translation>
    </message>
    <message>
        <source>Conversations not kept</source>
        <translation>Nicht gespeicherte Gespräche</translation>
    </message>
    <message>
        <source>1 conversation not on disk</source>
        <translation>1 Gespräch nicht auf der Platte</translation>
    </message>
    <message>
        <source>%1 conversations not on disk</source>
        <translation>%1 Gespräche nicht auf der Platte</translation>
    </message>
    <message>
        <source>Engine %1</source>
        <translation>Engine %1</translation>
    </message>
    <message>
        <source>RSS %1</source>
        <translation>RSS %1</translation>
    </message>
    <message>
        <source>RSS -</source>
        <translation>RSS -</translation>
    </message>
    <message>
        <source>Remote engine %1</source>
        <translation>Entfernte Engine %1</translation>
    </message>
    <message>
        <source>Kept %1</source>
        <translation>Aufbewahrt %1</translation>
    </message>
    <message>
        <source>1 thread, %1</source>
        <translation>1 Thread, %1</translation>
    </message>
    <message>
        <source>%1 threads, %2</source>
        <translation>%1 Threads, %2</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>%1 ausgelassen</translation>
    </message>
    <message>
        <source>Generation %1</source>
        <translation>Stand %1</translation>
    </message>
    <message>
        <source>Cache format</source>
        <translation>Cache-Format</translation>
    </message>
    <message>
        <source>Rows of the cache are coded again between steps; until all are, it is what it was. The page of cache formats can cancel it</source>
        <translation>Zeilen des Caches werden zwischen Schritten umcodiert; bis alle es sind, bleibt er, was er war. Die Seite der Cache-Formate kann das abbrechen</translation>
    </message>
    <message>
        <source>%1 to %2, %3</source>
        <translation>%1 zu %2, %3</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SweepWindow</name>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Beste</translation>
    </message>
    <message>
        <source>Bytes left</source>
        <translation>Bytes übrig</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Same top-1</source>
        <translation>Gleiches Token</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Output error</source>
        <translation>Ausgabefehler</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>nothing evicted</source>
        <translation>nichts verdrängt</translation>
    </message>
    <message>
        <source>Sweep settings over this conversation</source>
        <translation>Messreihe über dieses Gespräch</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Methods</source>
        <translation>Methoden</translation>
    </message>
    <message>
        <source>slots a head, as 512, 1024</source>
        <translation>Slots je Kopf: 512, 1024</translation>
    </message>
    <message>
        <source>Ratios</source>
        <translation>Verhältnisse</translation>
    </message>
    <message>
        <source>Parts of the cache to keep, as 2, 4, 8</source>
        <translation>Wievielmal kleiner der Cache wird, etwa 2, 4, 8</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>Budgets</translation>
    </message>
    <message>
        <source>Every method at every size, on a copy of the cache of each answer of this conversation. Other settings as in force.</source>
        <translation>Jede Methode in jeder Größe, an einer Kopie des Caches jeder Antwort dieses Gesprächs. Alle anderen Einstellungen bleiben, wie sie gelten.</translation>
    </message>
    <message>
        <source>What stands on the vertical axis</source>
        <translation>Was auf der senkrechten Achse steht</translation>
    </message>
    <message>
        <source>Apply these settings</source>
        <translation>Diese Einstellungen anwenden</translation>
    </message>
    <message>
        <source>Every setting</source>
        <translation>Jede Einstellung</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Choose a point or a row first.</source>
        <translation>Wählen Sie zuerst einen Punkt oder eine Zeile.</translation>
    </message>
    <message>
        <source>%1 %2 was sent to the engine.</source>
        <translation>%1 %2 wurde an die Engine gesendet.</translation>
    </message>
    <message>
        <source>Settings without figures: %1. Nothing was evicted under them: the answers are too short for what they ask, so sweep a longer conversation.</source>
        <translation>Einstellungen ohne Werte: %1. Unter ihnen wurde nichts verdrängt: die Antworten sind zu kurz für das, was sie verlangen; messen Sie ein längeres Gespräch.</translation>
    </message>
    <message>
        <source>KL, nats</source>
        <translation>KL, Nats</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>folgt noch</translation>
    </message>
    <message>
        <source>Stopped: %1 of %2 settings were tried.</source>
        <translation>Angehalten: %1 von %2 Einstellungen wurden versucht.</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Dauer</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SystemPromptDialog</name>
    <message>
        <source>Keep as...</source>
        <translation>Behalten als...</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Kept system prompts</source>
        <translation>Aufbewahrte Systemprompts</translation>
    </message>
    <message>
        <source>Nothing is told before the conversation.</source>
        <translation>Vor dem Gespräch wird nichts mitgeteilt.</translation>
    </message>
    <message>
        <source>System prompt of this conversation</source>
        <translation>Systemprompt dieses Gesprächs</translation>
    </message>
    <message>
        <source>Keep this text under a name, for other conversations</source>
        <translation>Diesen Text unter einem Namen für andere Gespräche behalten</translation>
    </message>
    <message>
        <source>Forget the kept text that is chosen</source>
        <translation>Den gewählten aufbewahrten Text vergessen</translation>
    </message>
    <message>
        <source>What the model is told before this conversation. Other conversations keep theirs.</source>
        <translation>Was dem Modell vor diesem Gespräch mitgeteilt wird. Andere Gespräche behalten ihren eigenen.</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>None kept yet</source>
        <translation>Noch keine aufbewahrt</translation>
    </message>
    <message>
        <source>Kept prompts</source>
        <translation>Aufbewahrte Prompts</translation>
    </message>
    <message>
        <source>Keep as</source>
        <translation>Behalten als</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>New conversations begin with this kept prompt</source>
        <translation>Neue Gespräche beginnen mit diesem aufbewahrten Prompt</translation>
    </message>
    <message>
        <source>A conversation that has begun stays as it is.</source>
        <translation>Ein begonnenes Gespräch bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>Choose a kept prompt first, or keep this one.</source>
        <translation>Wählen Sie zuerst einen aufbewahrten Prompt, oder bewahren Sie diesen auf.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageActions</name>
    <message>
        <source>Not pinned: %1</source>
        <translation>Nicht angeheftet: %1</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Change the question or answer that is chosen, else the last question, in its place. What stood there stays as another branch.</source>
        <translation>Die gewählte Frage oder Antwort, sonst die letzte Frage, an Ort und Stelle ändern. Was dort stand, bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Branch before</source>
        <translation>Voriger Zweig</translation>
    </message>
    <message>
        <source>Show what stood here before it was edited or answered again.</source>
        <translation>Zeigen, was hier stand, bevor es bearbeitet oder neu beantwortet wurde.</translation>
    </message>
    <message>
        <source>Next branch</source>
        <translation>Nächster Zweig</translation>
    </message>
    <message>
        <source>Show the branch that was begun next.</source>
        <translation>Den danach begonnenen Zweig zeigen.</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Zweig löschen</translation>
    </message>
    <message>
        <source>Delete the branch that is shown, from where it parts; can be undone.</source>
        <translation>Den gezeigten Zweig von seiner Gabelung an löschen; lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Undo delete branch</source>
        <translation>Löschen des Zweigs rückgängig machen</translation>
    </message>
    <message>
        <source>Bring the branch that was deleted last back.</source>
        <translation>Den zuletzt gelöschten Zweig zurückholen.</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Never let a compaction forget the marked words; they count within the budget.</source>
        <translation>Die markierten Wörter von keiner Verdichtung vergessen lassen; sie zählen innerhalb des Budgets.</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Loslösen</translation>
    </message>
    <message>
        <source>Let compactions forget the marked words again.</source>
        <translation>Die markierten Wörter von Verdichtungen wieder vergessen lassen.</translation>
    </message>
    <message>
        <source>Pinned words...</source>
        <translation>Angeheftete Wörter...</translation>
    </message>
    <message>
        <source>What no compaction forgets, with its tokens; go there or unpin.</source>
        <translation>Was keine Verdichtung vergisst, mit seinen Token; hingehen oder lösen.</translation>
    </message>
    <message>
        <source>This conversation has one branch only: edit a message, or answer one again, to begin another.</source>
        <translation>Dieses Gespräch hat nur einen Zweig: bearbeiten Sie eine Nachricht, oder lassen Sie eine neu beantworten, um einen anderen zu beginnen.</translation>
    </message>
    <message>
        <source>This is the first branch.</source>
        <translation>Dies ist der erste Zweig.</translation>
    </message>
    <message>
        <source>This is the last branch.</source>
        <translation>Dies ist der letzte Zweig.</translation>
    </message>
    <message>
        <source>No branch was deleted.</source>
        <translation>Kein Zweig wurde gelöscht.</translation>
    </message>
    <message>
        <source>Mark words of a message first.</source>
        <translation>Markieren Sie zuerst Wörter einer Nachricht.</translation>
    </message>
    <message>
        <source>Nothing is pinned.</source>
        <translation>Nichts ist angeheftet.</translation>
    </message>
    <message numerus="yes">
        <source>Deleted branch %1 of %2, with %n message(s).</source>
        <translation>
            <numerusform>Zweig %1 von %2 mit %n Nachricht gelöscht.</numerusform>
            <numerusform>Zweig %1 von %2 mit %n Nachrichten gelöscht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message numerus="yes">
        <source>Pinned. Compactions had forgotten %n of these tokens before: what is left stays, and they can be brought back.</source>
        <translation>
            <numerusform>Angeheftet. Verdichtungen hatten %n dieser Token zuvor vergessen: was übrig ist, bleibt, und es lässt sich zurückholen.</numerusform>
            <numerusform>Angeheftet. Verdichtungen hatten %n dieser Token zuvor vergessen: was übrig ist, bleibt, und sie lassen sich zurückholen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Zurückholen</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TelemetryPanel</name>
    <message>
        <source>30 s</source>
        <translation>30 s</translation>
    </message>
    <message>
        <source>1k</source>
        <translation>1k</translation>
    </message>
    <message>
        <source>2 min</source>
        <translation>2 min</translation>
    </message>
    <message>
        <source>4k</source>
        <translation>4k</translation>
    </message>
    <message>
        <source>10 min</source>
        <translation>10 min</translation>
    </message>
    <message>
        <source>16k</source>
        <translation>16k</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>Follow the newest steps, or hold the view while recording goes on (F8)</source>
        <translation>Den neuesten Schritten folgen, oder die Ansicht anhalten, während weiter aufgezeichnet wird (F8)</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Ausschnitt</translation>
    </message>
    <message>
        <source>Length of the part that all charts show</source>
        <translation>Länge des Ausschnitts, den alle Diagramme zeigen</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>What stands on the horizontal axis: time, or tokens processed</source>
        <translation>Was auf der waagerechten Achse steht: Zeit oder verarbeitete Token</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Save all samples as a table file</source>
        <translation>Alle Proben als Tabellendatei speichern</translation>
    </message>
    <message>
        <source>PNG</source>
        <translation>PNG</translation>
    </message>
    <message>
        <source>Save a picture of the charts</source>
        <translation>Ein Bild der Diagramme speichern</translation>
    </message>
    <message>
        <source>Live view</source>
        <translation>Live-Ansicht</translation>
    </message>
    <message>
        <source>Paused view</source>
        <translation>Angehaltene Ansicht</translation>
    </message>
    <message>
        <source>Window %1</source>
        <translation>Ausschnitt %1</translation>
    </message>
    <message>
        <source>recording goes on</source>
        <translation>aufgezeichnet wird weiter</translation>
    </message>
    <message>
        <source>%1 samples left out</source>
        <translation>%1 Proben ausgelassen</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 gespeichert.</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Save samples (CSV)...</source>
        <translation>Proben speichern (CSV)...</translation>
    </message>
    <message>
        <source>Save a picture (PNG)...</source>
        <translation>Bild speichern (PNG)...</translation>
    </message>
    <message>
        <source>No chart and no map is in sight.</source>
        <translation>Kein Diagramm und keine Karte ist zu sehen.</translation>
    </message>
    <message>
        <source>recorded session</source>
        <translation>aufgezeichnete Sitzung</translation>
    </message>
    <message>
        <source>Show the chart with the keyboard as a table, or else all in sight, and back (F4)</source>
        <translation>Das Diagramm mit der Tastatur als Tabelle zeigen, sonst alle sichtbaren, und zurück (F4)</translation>
    </message>
    <message>
        <source>Table of a chart, samples as a file, a picture, the horizontal axis</source>
        <translation>Tabelle eines Diagramms, Messwerte als Datei, ein Bild, die waagerechte Achse</translation>
    </message>
    <message>
        <source>Axis: time</source>
        <translation>Achse: Zeit</translation>
    </message>
    <message>
        <source>Axis: tokens</source>
        <translation>Achse: Token</translation>
    </message>
    <message>
        <source>Whole session</source>
        <translation>Ganze Sitzung</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>Zurück zu live</translation>
    </message>
    <message>
        <source>Show the whole session again (double-click)</source>
        <translation>Wieder die ganze Sitzung zeigen (Doppelklick)</translation>
    </message>
    <message>
        <source>Follow the newest steps again (F8)</source>
        <translation>Wieder den neuesten Schritten folgen (F8)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DiskTierPanel</name>
    <message>
        <source>In memory</source>
        <translation>Im Speicher</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Off: nothing is kept. Give it a limit to switch it on.</source>
        <translation>Aus: Nichts wird aufbewahrt. Eine Grenze schaltet es ein.</translation>
    </message>
    <message>
        <source>%1 of %2, %3 texts</source>
        <translation>%1 von %2, %3 Texte</translation>
    </message>
    <message>
        <source>Nobody has asked it yet in this run.</source>
        <translation>In diesem Lauf hat noch niemand danach gefragt.</translation>
    </message>
    <message>
        <source>%1 of %2 questions found something: %3 tokens, about %4 saved</source>
        <translation>%1 von %2 Fragen fanden etwas: %3 Token, etwa %4 gespart</translation>
    </message>
    <message>
        <source>%1 %2: %3</source>
        <translation>%1 %2: %3</translation>
    </message>
    <message>
        <source>Hit,</source>
        <translation>Treffer,</translation>
    </message>
    <message>
        <source>Miss,</source>
        <translation>Kein Treffer,</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Forget what is kept here, after %1 seconds in which it can be taken back. Conversations keep their own caches.</source>
        <translation>Vergessen, was hier aufbewahrt wird, nach %1 Sekunden, in denen es sich zurücknehmen lässt. Gespräche behalten ihre eigenen Caches.</translation>
    </message>
    <message>
        <source>Clear what is kept in memory</source>
        <translation>Das im Speicher Aufbewahrte leeren</translation>
    </message>
    <message>
        <source>Clear what is kept on disk</source>
        <translation>Das auf der Platte Aufbewahrte leeren</translation>
    </message>
    <message>
        <source>How full it is</source>
        <translation>Wie voll es ist</translation>
    </message>
    <message>
        <source>small: calibrated transform, else 8 bits</source>
        <translation>klein: kalibriert, sonst 8 Bit</translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation>8 Bit</translation>
    </message>
    <message>
        <source>exact, bit for bit</source>
        <translation>genau, Bit für Bit</translation>
    </message>
    <message>
        <source>How closely pages that are written from now on keep rows, by every program that shares the folder. An answer that goes on from rounded rows can differ from the one it would have been.</source>
        <translation>Wie genau von jetzt an geschriebene Seiten Zeilen halten, bei jedem Programm, das den Ordner teilt. Eine Antwort, die von gerundeten Zeilen aus weitergeht, kann anders sein, als sie es gewesen wäre.</translation>
    </message>
    <message>
        <source>How closely rows are kept on disk</source>
        <translation>Wie genau Zeilen auf der Platte gehalten werden</translation>
    </message>
    <message>
        <source>Rows kept</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>%1 of %2, %3 pages</source>
        <translation>%1 von %2, %3 Seiten</translation>
    </message>
    <message>
        <source>None of %1 questions found something here.</source>
        <translation>Keine der %1 Fragen fand hier etwas.</translation>
    </message>
    <message>
        <source>Nothing is kept of this run yet.</source>
        <translation>Von diesem Lauf wird noch nichts aufbewahrt.</translation>
    </message>
    <message>
        <source>The one question so far found nothing here.</source>
        <translation>Die bisher einzige Frage fand hier nichts.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimeBar</name>
    <message>
        <source>Recorded session</source>
        <translation>Aufgezeichnete Sitzung</translation>
    </message>
    <message>
        <source>Moment of the session</source>
        <translation>Zeitpunkt der Sitzung</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys for one step, Page Up and Page Down for the next question or compaction, Home and End. Space plays.</source>
        <translation>Ziehen, oder Pfeiltasten für einen Schritt, Bild auf und Bild ab für die nächste Frage oder Verdichtung, Pos1 und Ende. Leertaste spielt ab.</translation>
    </message>
    <message>
        <source>Conversation of the recorded session</source>
        <translation>Gespräch der aufgezeichneten Sitzung</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Runs the whole session again with the same model and settings, and says whether the same words come out. The live session goes on beside it.</source>
        <translation>Führt die ganze Sitzung mit demselben Modell und denselben Einstellungen noch einmal aus und sagt, ob dieselben Wörter herauskommen. Die laufende Sitzung geht daneben weiter.</translation>
    </message>
    <message>
        <source>Close session</source>
        <translation>Sitzung schließen</translation>
    </message>
    <message>
        <source>Back to the live session, which is as it was.</source>
        <translation>Zurück zur laufenden Sitzung, die ist, wie sie war.</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>Vorige Marke</translation>
    </message>
    <message>
        <source>To the question or compaction before (Page Up)</source>
        <translation>Zur Frage oder Verdichtung davor (Bild auf)</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Play the session from here (Space)</source>
        <translation>Die Sitzung von hier an abspielen (Leertaste)</translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation>Nächste Marke</translation>
    </message>
    <message>
        <source>To the next question or compaction (Page Down)</source>
        <translation>Zur nächsten Frage oder Verdichtung (Bild ab)</translation>
    </message>
    <message>
        <source>How fast it plays; time without a step is passed over.</source>
        <translation>Wie schnell abgespielt wird; Zeit ohne Schritt wird übergangen.</translation>
    </message>
    <message>
        <source>Speed of playing</source>
        <translation>Abspielgeschwindigkeit</translation>
    </message>
    <message>
        <source>Recorded session %1</source>
        <translation>Aufgezeichnete Sitzung %1</translation>
    </message>
    <message>
        <source>Recorded session %1, with %2</source>
        <translation>Aufgezeichnete Sitzung %1, mit %2</translation>
    </message>
    <message>
        <source>The one asked last</source>
        <translation>Zuletzt gefragt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2, step %3 of %4</source>
        <translation>%1 von %2, Schritt %3 von %4</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Hold the session at this moment (Space)</source>
        <translation>Die Sitzung an dieser Stelle anhalten (Leertaste)</translation>
    </message>
    <message>
        <source>Stop replay</source>
        <translation>Wiederholung abbrechen</translation>
    </message>
    <message>
        <source>Replaying: the model is being read.</source>
        <translation>Wiederholung: Das Modell wird gelesen.</translation>
    </message>
    <message>
        <source>Replaying: answer %1 of %2.</source>
        <translation>Wiederholung: Antwort %1 von %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimelineModel</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Compaction</source>
        <translation>Verdichtung</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimelinePanel</name>
    <message>
        <source>Kind of events shown</source>
        <translation>Art der gezeigten Ereignisse</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Words an event must contain</source>
        <translation>Wörter, die ein Ereignis enthalten muss</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Details of the chosen event</source>
        <translation>Einzelheiten des gewählten Ereignisses</translation>
    </message>
    <message>
        <source>Choose an event to read its details.</source>
        <translation>Wählen Sie ein Ereignis, um seine Einzelheiten zu lesen.</translation>
    </message>
    <message>
        <source>1 event</source>
        <translation>1 Ereignis</translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation>%1 Ereignisse</translation>
    </message>
    <message>
        <source>%1 of %2 events</source>
        <translation>%1 von %2 Ereignissen</translation>
    </message>
    <message>
        <source>, %1 older ones gone</source>
        <translation>, %1 ältere sind weg</translation>
    </message>
    <message>
        <source>What happens in the session stands here: models, answers, settings, compactions.</source>
        <translation>Was in der Sitzung geschieht, steht hier: Modelle, Antworten, Einstellungen, Verdichtungen.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WelcomePage</name>
    <message>
        <source>What now?</source>
        <translation>Was nun?</translation>
    </message>
    <message>
        <source>Talk</source>
        <translation>Fragen stellen</translation>
    </message>
    <message>
        <source>Write below and press Enter. Long texts may be pasted or dropped; then ask what stands in them.</source>
        <translation>Schreiben Sie unten und drücken Sie die Eingabetaste. Lange Texte lassen sich einfügen oder hierher ziehen; fragen Sie dann, was darin steht.</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>Ein Modell laden</translation>
    </message>
    <message>
        <source>Any GGUF file, or a folder with safetensors. Your conversations stay. Or let an engine elsewhere answer.</source>
        <translation>Jede GGUF-Datei oder ein Ordner mit Safetensors; Ihre Gespräche bleiben erhalten. Oder lassen Sie eine Engine auf einem anderen Rechner antworten.</translation>
    </message>
    <message>
        <source>Load model...</source>
        <translation>Modell laden...</translation>
    </message>
    <message>
        <source>Connect to an engine...</source>
        <translation>Mit einer Engine verbinden...</translation>
    </message>
    <message>
        <source>Show the settings</source>
        <translation>Einstellungen zeigen</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Choose a profile, Balanced, Frugal or Exact, or move the ratio and see in the charts what it costs and saves.</source>
        <translation>Wählen Sie ein Profil (Ausgewogen, Sparsam oder Exakt), oder verschieben Sie das AM-Verhältnis und sehen Sie in den Diagrammen, was es kostet und spart.</translation>
    </message>
    <message>
        <source>Compare two settings...</source>
        <translation>Zwei Einstellungen vergleichen...</translation>
    </message>
    <message>
        <source>The model in the box is small, 135 million parameters: it can talk a little in English, answer simple questions, write a short story or a small function, and find what you gave it in up to 8,000 tokens. It cannot speak other languages, and it knows few facts: take what it says of the world for a guess, and load a larger model for more.</source>
        <translation>Das mitgelieferte Modell ist mit 135 Millionen Parametern klein: Es unterhält sich ein wenig auf Englisch, beantwortet einfache Fragen, schreibt eine kurze Geschichte oder eine kleine Funktion und findet, was in einem Text von bis zu 8.000 Token steht. Andere Sprachen spricht es nicht, und es kennt wenige Fakten: Nehmen Sie, was es über die Welt sagt, als Vermutung, und laden Sie für mehr ein größeres Modell.</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>Demo in 20 Sekunden</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreviewPanel</name>
    <message>
        <source>not comparable with the estimate</source>
        <translation>mit der Schätzung nicht vergleichbar</translation>
    </message>
    <message>
        <source>as estimated</source>
        <translation>wie geschätzt</translation>
    </message>
    <message>
        <source>%1 % above the estimate</source>
        <translation>%1 % über der Schätzung</translation>
    </message>
    <message>
        <source>%1 % below the estimate</source>
        <translation>%1 % unter der Schätzung</translation>
    </message>
    <message>
        <source>Compacted in %1. Live bytes are %2</source>
        <translation>Verdichtet in %1. Belegte Bytes: %2</translation>
    </message>
    <message>
        <source>, the error is %1</source>
        <translation>, Fehler: %1</translation>
    </message>
    <message>
        <source>No estimate: %1.</source>
        <translation>Keine Schätzung: %1.</translation>
    </message>
    <message>
        <source>Nothing would go: %1.</source>
        <translation>Nichts ginge verloren: %1.</translation>
    </message>
    <message>
        <source> Settings have moved since.</source>
        <translation> Einstellungen wurden seither geändert.</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Try before applying</source>
        <translation>Erst probieren</translation>
    </message>
    <message>
        <source>Moved settings wait here: they are estimated first and applied when you say so.</source>
        <translation>Geänderte Einstellungen warten hier: Sie werden erst geschätzt und angewandt, wenn Sie es sagen.</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>came</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>Belegte Bytes</translation>
    </message>
    <message>
        <source>Output error</source>
        <translation>Ausgabefehler</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Schätzen</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Give the settings that wait up</source>
        <translation>Die wartenden Einstellungen aufgeben</translation>
    </message>
    <message>
        <source>Compact now</source>
        <translation>Jetzt verdichten</translation>
    </message>
    <message>
        <source>Compact with the settings in force (F9)</source>
        <translation>Mit den geltenden Einstellungen verdichten (F9)</translation>
    </message>
    <message>
        <source>Estimates what a compaction would leave of this conversation&apos;s cache.</source>
        <translation>Schätzt, was eine Verdichtung vom Cache dieses Gesprächs übrig ließe.</translation>
    </message>
    <message>
        <source>Estimating…</source>
        <translation>Wird geschätzt…</translation>
    </message>
    <message>
        <source>Made for: %1</source>
        <translation>Für: %1</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>Von diesem Gespräch ist noch nichts im Cache.</translation>
    </message>
    <message>
        <source>Bring the settings that wait into force, and compact as was estimated</source>
        <translation>Die wartenden Einstellungen in Kraft setzen und verdichten wie geschätzt</translation>
    </message>
    <message>
        <source>Applied from the next token of this answer on; the cache is compacted then.</source>
        <translation>Angewandt ab dem nächsten Token dieser Antwort; dann wird der Cache verdichtet.</translation>
    </message>
    <message>
        <source>Applied; the cache is being compacted.</source>
        <translation>Angewandt; der Cache wird verdichtet.</translation>
    </message>
    <message>
        <source>Applied; the cache is compacted when the next answer needs it, or at once by Compact now.</source>
        <translation>Angewandt; der Cache wird verdichtet, wenn die nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“.</translation>
    </message>
    <message>
        <source>Slots, all heads</source>
        <translation>Slots, alle Köpfe</translation>
    </message>
    <message>
        <source>%1 times the estimate</source>
        <translation>das %1-Fache der Schätzung</translation>
    </message>
    <message>
        <source>From the quality table of this model (Tools menu, Quality of this model), measured with all other settings as the program starts.</source>
        <translation>Aus der Qualitätstabelle dieses Modells (Menü „Werkzeuge“, „Qualität dieses Modells“), gemessen mit allen anderen Einstellungen wie beim Programmstart.</translation>
    </message>
    <message>
        <source>Tried on a copy of the cache, in %1.</source>
        <translation>An einer Kopie des Caches probiert, in %1.</translation>
    </message>
    <message>
        <source>Tried on %1 of %2 heads of a copy of the cache, in %3.</source>
        <translation>An %1 von %2 Köpfen einer Kopie des Caches probiert, in %3.</translation>
    </message>
    <message>
        <source>Try a compaction with the settings asked for on a copy of this conversation&apos;s cache</source>
        <translation>Eine Verdichtung mit den geforderten Einstellungen an einer Kopie des Caches dieses Gesprächs probieren</translation>
    </message>
    <message>
        <source> What the text keeps of its information is being measured.</source>
        <translation> Gemessen wird gerade, was der Text von seiner Information behält.</translation>
    </message>
    <message>
        <source> The weakest passage keeps %1 of its information.</source>
        <translation> Die schwächste Stelle behält %1 ihrer Information.</translation>
    </message>
    <message>
        <source>Information kept</source>
        <translation>Behaltene Information</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowActions</name>
    <message>
        <source>New conversation</source>
        <translation>Neues Gespräch</translation>
    </message>
    <message>
        <source>Start an empty conversation; the others stay.</source>
        <translation>Ein leeres Gespräch beginnen; die anderen bleiben.</translation>
    </message>
    <message>
        <source>Export report...</source>
        <translation>Bericht exportieren...</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Close Lacuna.</source>
        <translation>Lacuna schließen.</translation>
    </message>
    <message>
        <source>Copy last answer</source>
        <translation>Letzte Antwort kopieren</translation>
    </message>
    <message>
        <source>Put the text of the last answer on the clipboard.</source>
        <translation>Den Text der letzten Antwort in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>Rename conversation...</source>
        <translation>Gespräch umbenennen...</translation>
    </message>
    <message>
        <source>Give this conversation another title.</source>
        <translation>Diesem Gespräch einen anderen Titel geben.</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>Gespräch löschen</translation>
    </message>
    <message>
        <source>Delete this conversation and give its cache back; can be undone.</source>
        <translation>Dieses Gespräch löschen und seinen Cache aufgeben; lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>Löschen rückgängig machen</translation>
    </message>
    <message>
        <source>Bring the conversation deleted last back.</source>
        <translation>Das zuletzt gelöschte Gespräch zurückholen.</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Gespräche durchsuchen</translation>
    </message>
    <message>
        <source>Find conversations by their titles and by every word in them.</source>
        <translation>Gespräche nach Titeln und nach jedem Wort darin finden.</translation>
    </message>
    <message>
        <source>Load model...</source>
        <translation>Modell laden...</translation>
    </message>
    <message>
        <source>Load a model from a GGUF file; conversations stay.</source>
        <translation>Ein Modell aus einer GGUF-Datei laden; Gespräche bleiben.</translation>
    </message>
    <message>
        <source>Load model folder...</source>
        <translation>Modellordner laden...</translation>
    </message>
    <message>
        <source>Load a folder with config.json, tokenizer.json and safetensors files.</source>
        <translation>Einen Ordner mit config.json, tokenizer.json und safetensors-Dateien laden.</translation>
    </message>
    <message>
        <source>Load the bundled model</source>
        <translation>Mitgeliefertes Modell laden</translation>
    </message>
    <message>
        <source>Load the small model that ships with Lacuna.</source>
        <translation>Das kleine Modell laden, das mit Lacuna kommt.</translation>
    </message>
    <message>
        <source>Model details</source>
        <translation>Modelldetails</translation>
    </message>
    <message>
        <source>Shape, tensors, cache bytes per token, tokenizer and memory plan.</source>
        <translation>Form, Tensoren, Cache-Bytes je Token, Tokenizer und Speicherplan.</translation>
    </message>
    <message>
        <source>Inspect a model file...</source>
        <translation>Modelldatei ansehen...</translation>
    </message>
    <message>
        <source>The same for a file that is not loaded; nothing else changes.</source>
        <translation>Dasselbe für eine nicht geladene Datei; sonst ändert sich nichts.</translation>
    </message>
    <message>
        <source>Connect to an engine...</source>
        <translation>Mit einer Engine verbinden...</translation>
    </message>
    <message>
        <source>Let an engine elsewhere answer: vLLM, SGLang, llama-server, another Lacuna or any that speaks OpenAI&apos;s API.</source>
        <translation>Eine Engine auf einem anderen Rechner antworten lassen: vLLM, SGLang, llama-server, ein anderes Lacuna oder jede andere mit der API von OpenAI.</translation>
    </message>
    <message>
        <source>Disconnect from the engine</source>
        <translation>Verbindung zur Engine trennen</translation>
    </message>
    <message>
        <source>Let the local engine answer again.</source>
        <translation>Die lokale Engine wieder antworten lassen.</translation>
    </message>
    <message>
        <source>Unload model</source>
        <translation>Modell entladen</translation>
    </message>
    <message>
        <source>Give the model&apos;s memory back.</source>
        <translation>Den Speicher des Modells zurückgeben.</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Send what stands in the prompt.</source>
        <translation>Senden, was im Prompt steht.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop the answer that is being written, the loading of a model, or a compaction in the background.</source>
        <translation>Die laufende Antwort, das Laden eines Modells oder eine Verdichtung im Hintergrund anhalten.</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Answer the last question again.</source>
        <translation>Die letzte Frage noch einmal beantworten.</translation>
    </message>
    <message>
        <source>Compact now</source>
        <translation>Jetzt verdichten</translation>
    </message>
    <message>
        <source>Compact the cache of this conversation at the next token, with the settings in force.</source>
        <translation>Den Cache dieses Gesprächs beim nächsten Token mit den geltenden Einstellungen verdichten.</translation>
    </message>
    <message>
        <source>Rebuild the full cache</source>
        <translation>Ganzen Cache wiederherstellen</translation>
    </message>
    <message>
        <source>Give the compacted cache of this conversation up and switch compression off: the next question reads the whole text again.</source>
        <translation>Den verdichteten Cache dieses Gesprächs aufgeben und die Kompression ausschalten: Die nächste Frage liest den ganzen Text neu.</translation>
    </message>
    <message>
        <source>Reset settings</source>
        <translation>Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>Set every setting back to the value the program started with.</source>
        <translation>Jede Einstellung auf den Wert setzen, mit dem das Programm begann.</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>Einstellung rückgängig machen</translation>
    </message>
    <message>
        <source>Take the newest change of a setting back, or a reset of all.</source>
        <translation>Die neueste Änderung einer Einstellung zurücknehmen, oder ein Zurücksetzen aller.</translation>
    </message>
    <message>
        <source>Compare two settings...</source>
        <translation>Zwei Einstellungen vergleichen...</translation>
    </message>
    <message>
        <source>Answer one question under two settings, side by side.</source>
        <translation>Eine Frage unter zwei Einstellungen beantworten, nebeneinander.</translation>
    </message>
    <message>
        <source>Sweep settings...</source>
        <translation>Messreihe...</translation>
    </message>
    <message>
        <source>Try methods, ratios and budgets on this conversation and plot what each costs and loses.</source>
        <translation>Methoden, Verhältnisse und Budgets an diesem Gespräch probieren und zeichnen, was jedes kostet und verliert.</translation>
    </message>
    <message>
        <source>Quality of this model...</source>
        <translation>Qualität dieses Modells...</translation>
    </message>
    <message>
        <source>One table for the model in use: every method at every ratio, what it keeps of recall and RULER, and what it costs.</source>
        <translation>Eine Tabelle zum Modell in Gebrauch: jede Methode bei jedem Verhältnis, was sie von Recall und RULER erhält und was sie kostet.</translation>
    </message>
    <message>
        <source>Cache formats of this model...</source>
        <translation>Cache-Formate dieses Modells...</translation>
    </message>
    <message>
        <source>Presets and bits of keys and values with what each costs on the model in use: bytes, divergence, recall, speed.</source>
        <translation>Voreinstellungen und Bits von Schlüsseln und Werten mit dem, was sie beim Modell in Gebrauch kosten: Bytes, Divergenz, Recall, Tempo.</translation>
    </message>
    <message>
        <source>Memory...</source>
        <translation>Gedächtnis...</translation>
    </message>
    <message>
        <source>What is kept of texts that were read, in memory and on disk, what it saved, and what each conversation has of it.</source>
        <translation>Was von gelesenen Texten im Speicher und auf der Platte aufbewahrt wird, was es gespart hat und was jedes Gespräch davon hat.</translation>
    </message>
    <message>
        <source>Server...</source>
        <translation>Server...</translation>
    </message>
    <message>
        <source>Answer other programs with the model in use: switch the server on and off, see what it answers, copy how clients ask it.</source>
        <translation>Anderen Programmen mit dem Modell in Gebrauch antworten: den Server ein- und ausschalten, sehen, was er beantwortet, kopieren, wie Clients ihn fragen.</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Find and run any action by name.</source>
        <translation>Jede Aktion nach Namen finden und ausführen.</translation>
    </message>
    <message>
        <source>Go to prompt</source>
        <translation>Zum Prompt</translation>
    </message>
    <message>
        <source>Put the keyboard into the prompt.</source>
        <translation>Die Tastatur in den Prompt setzen.</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Gehe zu: %1</translation>
    </message>
    <message>
        <source>Show the %1 panel and put the keyboard there.</source>
        <translation>Den Bereich „%1“ zeigen und die Tastatur dorthin setzen.</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>Nächster Bereich</translation>
    </message>
    <message>
        <source>Go round the panels.</source>
        <translation>Die Bereiche der Reihe nach.</translation>
    </message>
    <message>
        <source>Pause charts</source>
        <translation>Diagramme anhalten</translation>
    </message>
    <message>
        <source>Hold the charts still; recording goes on.</source>
        <translation>Die Diagramme stillhalten; aufgezeichnet wird weiter.</translation>
    </message>
    <message>
        <source>Charts as tables</source>
        <translation>Diagramme als Tabellen</translation>
    </message>
    <message>
        <source>Retention overlay</source>
        <translation>Verbleib einblenden</translation>
    </message>
    <message>
        <source>Tint every word of the conversation by what the cache still holds of it: kept, merged, kept in part, evicted.</source>
        <translation>Jedes Wort des Gesprächs danach färben, was der Cache noch davon hält: erhalten, verschmolzen, teilweise erhalten, verdrängt.</translation>
    </message>
    <message>
        <source>Light / dark</source>
        <translation>Hell / dunkel</translation>
    </message>
    <message>
        <source>Change between light and dark.</source>
        <translation>Zwischen hell und dunkel wechseln.</translation>
    </message>
    <message>
        <source>Theme of the system</source>
        <translation>Design des Systems</translation>
    </message>
    <message>
        <source>Follow the light or dark theme of the system.</source>
        <translation>Dem hellen oder dunklen Design des Systems folgen.</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Speak this language from the next start of Lacuna on.</source>
        <translation>Ab dem nächsten Start von Lacuna diese Sprache sprechen.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language from the next start of Lacuna on: %1.</source>
        <translation>Sprache ab dem nächsten Start von Lacuna: %1.</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Every action and its keys.</source>
        <translation>Jede Aktion und ihre Tasten.</translation>
    </message>
    <message>
        <source>About Lacuna</source>
        <translation>Über Lacuna</translation>
    </message>
    <message>
        <source>Version and licence.</source>
        <translation>Version und Lizenz.</translation>
    </message>
    <message>
        <source>No engine elsewhere is connected.</source>
        <translation>Keine Engine anderswo ist verbunden.</translation>
    </message>
    <message>
        <source>There is no answer yet.</source>
        <translation>Es gibt noch keine Antwort.</translation>
    </message>
    <message>
        <source>Nothing is cached in this conversation yet.</source>
        <translation>Von diesem Gespräch ist noch nichts im Cache.</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it first.</source>
        <translation>Eine Antwort wird geschrieben. Halten Sie sie zuerst an.</translation>
    </message>
    <message>
        <source>No conversation was deleted.</source>
        <translation>Kein Gespräch gelöscht.</translation>
    </message>
    <message>
        <source>No setting of this conversation was changed.</source>
        <translation>Keine Einstellung dieses Gesprächs wurde geändert.</translation>
    </message>
    <message>
        <source>A report is being written.</source>
        <translation>Ein Bericht wird geschrieben.</translation>
    </message>
    <message>
        <source>%1 answers here.</source>
        <translation>%1 antwortet hier.</translation>
    </message>
    <message>
        <source>No answer is running.</source>
        <translation>Keine Antwort läuft.</translation>
    </message>
    <message>
        <source>Deleted “%1”.</source>
        <translation>„%1“ gelöscht.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>The cache was given up and compression is off. The next question reads the whole text again, about %1 tokens.</source>
        <translation>Der Cache wurde aufgegeben, die Kompression ist aus. Die nächste Frage liest den ganzen Text neu, etwa %1 Token.</translation>
    </message>
    <message>
        <source>Copy last code</source>
        <translation>Letzten Code kopieren</translation>
    </message>
    <message>
        <source>Put the last block of code of the last answer on the clipboard.</source>
        <translation>Den letzten Codeblock der letzten Antwort in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>Im Gespräch suchen</translation>
    </message>
    <message>
        <source>Find words in this conversation and go from one place to the next.</source>
        <translation>Wörter in diesem Gespräch finden und von Stelle zu Stelle gehen.</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>Nächste Stelle</translation>
    </message>
    <message>
        <source>Go to the next place that has the words.</source>
        <translation>Zur nächsten Stelle mit den Wörtern gehen.</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>Vorige Stelle</translation>
    </message>
    <message>
        <source>Go back to the place before.</source>
        <translation>Zur vorigen Stelle zurückgehen.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Write the last answer on from where it ended.</source>
        <translation>Die letzte Antwort weiterschreiben, wo sie endete.</translation>
    </message>
    <message>
        <source>Attach files...</source>
        <translation>Dateien anhängen...</translation>
    </message>
    <message>
        <source>System prompt...</source>
        <translation>Systemprompt...</translation>
    </message>
    <message>
        <source>What the model is told before this conversation.</source>
        <translation>Was dem Modell vor diesem Gespräch mitgeteilt wird.</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Bring the marked words back that compactions have forgotten, and keep them from then on. The retention overlay shows what was forgotten.</source>
        <translation>Die markierten Wörter zurückholen, die Verdichtungen vergessen haben, und von da an behalten. „Verbleib einblenden“ zeigt, was vergessen wurde.</translation>
    </message>
    <message>
        <source>There is nothing in this conversation yet.</source>
        <translation>In diesem Gespräch steht noch nichts.</translation>
    </message>
    <message>
        <source>Show the retention overlay first, and mark words in it.</source>
        <translation>Blenden Sie zuerst den Verbleib ein und markieren Sie Wörter darin.</translation>
    </message>
    <message>
        <source>Mark words that the cache has forgotten.</source>
        <translation>Markieren Sie Wörter, die der Cache vergessen hat.</translation>
    </message>
    <message>
        <source>The cache holds all of the marked words.</source>
        <translation>Der Cache hält alle markierten Wörter.</translation>
    </message>
    <message>
        <source>The last answer has no block of code.</source>
        <translation>Die letzte Antwort hat keinen Codeblock.</translation>
    </message>
    <message>
        <source>Attach texts, source code or PDFs to the next question.</source>
        <translation>Texte, Quelltext oder PDFs an die nächste Frage anhängen.</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered beside them.</source>
        <translation>
            <numerusform>%1 und %n anderes Gespräch werden beantwortet; eine Frage hier wird daneben beantwortet.</numerusform>
            <numerusform>%1 und %n andere Gespräche werden beantwortet; eine Frage hier wird daneben beantwortet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them to end.</source>
        <translation>
            <numerusform>%1 und %n anderes Gespräch werden beantwortet; eine Frage hier wartet, bis eines davon fertig ist.</numerusform>
            <numerusform>%1 und %n andere Gespräche werden beantwortet; eine Frage hier wartet, bis eines davon fertig ist.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is being answered; a question here is answered beside it.</source>
        <translation>%1 wird beantwortet; eine Frage hier wird daneben beantwortet.</translation>
    </message>
    <message>
        <source>%1 is being answered; a question here waits for its end.</source>
        <translation>%1 wird beantwortet; eine Frage hier wartet auf das Ende.</translation>
    </message>
    <message>
        <source>Write JSON (replayable), PDF, HTML, Markdown, CSV and charts of this session to a folder, as far as wanted.</source>
        <translation>JSON (wiederholbar), PDF, HTML, Markdown, CSV und Diagramme dieser Sitzung in einen Ordner schreiben, soweit gewünscht.</translation>
    </message>
    <message>
        <source>Open report...</source>
        <translation>Bericht öffnen...</translation>
    </message>
    <message>
        <source>Open a recorded session in this window: go through it moment by moment, and run it again.</source>
        <translation>Eine aufgezeichnete Sitzung in diesem Fenster öffnen: Schritt für Schritt durchgehen und noch einmal ausführen.</translation>
    </message>
    <message>
        <source>Close recorded session</source>
        <translation>Aufgezeichnete Sitzung schließen</translation>
    </message>
    <message>
        <source>Back to the live session, which is as it was.</source>
        <translation>Zurück zur laufenden Sitzung, die ist, wie sie war.</translation>
    </message>
    <message>
        <source>Say what the charts show</source>
        <translation>Sagen, was die Diagramme zeigen</translation>
    </message>
    <message>
        <source>Says the chart or map with the keyboard in a sentence, or else all that are in sight; a screen reader reads it out.</source>
        <translation>Sagt das Diagramm oder die Karte mit der Tastatur in einem Satz, sonst alle, die zu sehen sind; ein Bildschirmleser liest es vor.</translation>
    </message>
    <message>
        <source>Put every panel of this layout back to its place.</source>
        <translation>Jedes Feld dieser Anordnung an seinen Platz zurücksetzen.</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>The conversation and the list of conversations; everything else is one key away.</source>
        <translation>Das Gespräch und die Liste der Gespräche; alles andere ist einen Tastendruck entfernt.</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Settings, charts, cache map and timeline around the conversation.</source>
        <translation>Einstellungen, Diagramme, Cache-Karte und Zeitleiste rund um das Gespräch.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Charts below the conversation, and two settings side by side.</source>
        <translation>Diagramme unter dem Gespräch und zwei Einstellungen nebeneinander.</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>Was nun?</translation>
    </message>
    <message>
        <source>Ways to go on: talk, load a model, tune; and what the model in the box can do.</source>
        <translation>Wie es weitergeht: Fragen stellen, ein Modell laden, abstimmen; und was das mitgelieferte Modell kann.</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>Demo in 20 Sekunden</translation>
    </message>
    <message>
        <source>A page is read, a fact asked for, the cache made four times smaller, another fact asked for.</source>
        <translation>Eine Seite wird gelesen, nach einem Fakt gefragt, der Cache viermal kleiner gemacht, nach einem anderen Fakt gefragt.</translation>
    </message>
    <message>
        <source>Whole demo, with a report</source>
        <translation>Ganze Demo, mit Bericht</translation>
    </message>
    <message>
        <source>A little talk, then facts asked of a long text: with the whole cache and with compacted ones; about two minutes.</source>
        <translation>Ein wenig Gespräch, dann Fragen an einen langen Text: mit dem ganzen Cache und mit verdichteten; etwa zwei Minuten.</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>Ereignisprotokoll</translation>
    </message>
    <message>
        <source>What happened on one page: events of this session, and the program&apos;s log of this run and earlier ones.</source>
        <translation>Was geschah, auf einer Seite: Ereignisse dieser Sitzung und das Protokoll des Programms aus diesem Lauf und früheren.</translation>
    </message>
    <message>
        <source>Say hello, or paste a long text and ask what stands in it: the charts show what remembering costs.

Help &gt; Demo in 20 seconds does it for you; Help &gt; What now? says how to go on.</source>
        <translation>Sagen Sie Hallo, oder fügen Sie einen langen Text ein und fragen Sie, was darin steht: Die Diagramme zeigen, was Erinnern kostet.

Hilfe &gt; Demo in 20 Sekunden macht es für Sie; Hilfe &gt; Was nun? sagt, wie es weitergeht.</translation>
    </message>
    <message>
        <source>No recorded session is open.</source>
        <translation>Keine aufgezeichnete Sitzung offen.</translation>
    </message>
    <message>
        <source>Models...</source>
        <translation>Modelle...</translation>
    </message>
    <message>
        <source>Models on this machine and whether they fit, downloads, drafts, calibrations, other number formats.</source>
        <translation>Modelle auf diesem Rechner und ob sie passen, Downloads, Entwürfe, Kalibrierungen, andere Zahlenformate.</translation>
    </message>
    <message>
        <source>Save cache...</source>
        <translation>Cache speichern...</translation>
    </message>
    <message>
        <source>Write the cache of this conversation to a file, so that its text need not be read again.</source>
        <translation>Den Cache dieses Gesprächs in eine Datei schreiben, damit sein Text nicht noch einmal gelesen werden muss.</translation>
    </message>
    <message>
        <source>Load cache...</source>
        <translation>Cache laden...</translation>
    </message>
    <message>
        <source>Take the cache of this conversation from a file; model and settings must be those that it was made with.</source>
        <translation>Den Cache dieses Gesprächs aus einer Datei nehmen; Modell und Einstellungen müssen die sein, mit denen er gemacht wurde.</translation>
    </message>
    <message>
        <source>Show the chart or map with the keyboard as a table, or else all in sight, and back.</source>
        <translation>Das Diagramm oder die Karte mit der Tastatur als Tabelle zeigen, sonst alle sichtbaren, und zurück.</translation>
    </message>
    <message>
        <source>Model &gt; Load the bundled model (Ctrl+Shift+O) takes the small one that ships with Lacuna; Models... lists and downloads others.</source>
        <translation>Modell &gt; Mitgeliefertes Modell laden (Strg+Umschalt+O) nimmt das kleine, das mit Lacuna kommt; Modelle... zeigt andere und lädt sie herunter.</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Take the last change of the text back.</source>
        <translation>Die letzte Änderung des Textes zurücknehmen.</translation>
    </message>
    <message>
        <source>Make the change again that was taken back.</source>
        <translation>Die zurückgenommene Änderung wiederholen.</translation>
    </message>
    <message>
        <source>Put the marked words on the clipboard and remove them.</source>
        <translation>Die markierten Wörter in die Zwischenablage legen und entfernen.</translation>
    </message>
    <message>
        <source>Put the marked words on the clipboard.</source>
        <translation>Die markierten Wörter in die Zwischenablage legen.</translation>
    </message>
    <message>
        <source>Insert what is on the clipboard.</source>
        <translation>Den Inhalt der Zwischenablage einfügen.</translation>
    </message>
    <message>
        <source>Mark the whole text.</source>
        <translation>Den ganzen Text markieren.</translation>
    </message>
    <message>
        <source>Click into a text first.</source>
        <translation>Zuerst in einen Text klicken.</translation>
    </message>
    <message>
        <source>This text cannot be changed.</source>
        <translation>Dieser Text lässt sich nicht ändern.</translation>
    </message>
    <message>
        <source>Measure the precision</source>
        <translation>Genauigkeit messen</translation>
    </message>
    <message>
        <source>Measure again, between answers, which arithmetic this model needs.</source>
        <translation>Zwischen Antworten neu messen, welche Arithmetik dieses Modell braucht.</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>Messung überspringen</translation>
    </message>
    <message>
        <source>Leave the precision unmeasured: answers are computed with 8 bits in two terms, which every model bears.</source>
        <translation>Genauigkeit ungemessen lassen: Antworten werden mit 8 Bit in zwei Termen gerechnet, die jedes Modell verträgt.</translation>
    </message>
    <message>
        <source>Show or hide the %1 panel.</source>
        <translation>Den Bereich %1 zeigen oder verbergen.</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>The precision is being measured.</source>
        <translation>Die Genauigkeit wird gemessen.</translation>
    </message>
    <message>
        <source>No precision is being measured.</source>
        <translation>Es wird keine Genauigkeit gemessen.</translation>
    </message>
    <message>
        <source>A question is sent once the model is loaded.</source>
        <translation>Eine Frage wird gesendet, sobald das Modell geladen ist.</translation>
    </message>
    <message>
        <source>Fit a surrogate</source>
        <translation>Surrogat anpassen</translation>
    </message>
    <message>
        <source>Fit again, between answers, what foretells which tokens of a text this model needs.</source>
        <translation>Zwischen Antworten neu anpassen, was voraussagt, welche Token eines Textes dieses Modell braucht.</translation>
    </message>
    <message>
        <source>Skip fitting</source>
        <translation>Anpassung überspringen</translation>
    </message>
    <message>
        <source>Fit no surrogate: a text is repeated, between answers, where it is to be known which of its tokens are needed.</source>
        <translation>Kein Surrogat anpassen: Zwischen Antworten wird ein Text wiederholt, wo bekannt sein muss, welche seiner Token gebraucht werden.</translation>
    </message>
    <message>
        <source>A surrogate is being fitted.</source>
        <translation>Ein Surrogat wird angepasst.</translation>
    </message>
    <message>
        <source>No surrogate is being fitted.</source>
        <translation>Es wird kein Surrogat angepasst.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowDialogs</name>
    <message>
        <source>New folder:</source>
        <translation>Neuer Ordner:</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>Modell laden</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors);;All files (*)</source>
        <translation>Modelle (*.gguf *.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Load a model folder</source>
        <translation>Modellordner laden</translation>
    </message>
    <message>
        <source>Inspect a model</source>
        <translation>Modell ansehen</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors config.json);;All files (*)</source>
        <translation>Modelle (*.gguf *.safetensors config.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save samples</source>
        <translation>Proben speichern</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>Save charts</source>
        <translation>Diagramme speichern</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>Quality of compaction</source>
        <translation>Qualität der Verdichtung</translation>
    </message>
    <message>
        <source>With these settings</source>
        <translation>Mit diesen Einstellungen</translation>
    </message>
    <message>
        <source>Nothing is compacted.</source>
        <translation>Nichts wird verdichtet.</translation>
    </message>
    <message>
        <source>Folder for the report</source>
        <translation>Ordner für den Bericht</translation>
    </message>
    <message>
        <source>Rename conversation</source>
        <translation>Gespräch umbenennen</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Save the quality table</source>
        <translation>Qualitätstabelle speichern</translation>
    </message>
    <message>
        <source>Table (*.csv);;Markdown (*.md)</source>
        <translation>Tabelle (*.csv);;Markdown (*.md)</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>Geschrieben nach %1.</translation>
    </message>
    <message>
        <source>Close Lacuna</source>
        <translation>Lacuna schließen</translation>
    </message>
    <message>
        <source>The server is still answering other programs (requests: %1).</source>
        <translation>Der Server antwortet noch anderen Programmen (Anfragen: %1).</translation>
    </message>
    <message>
        <source>Finish, then close</source>
        <translation>Fertigstellen, dann schließen</translation>
    </message>
    <message>
        <source>Close now</source>
        <translation>Jetzt schließen</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>About Lacuna</source>
        <translation>Über Lacuna</translation>
    </message>
    <message>
        <source>Lacuna %1

Chats with a local model and shows what its memory costs.

Free software under the GNU General Public License, version 3 or later.
Uses Qt %2.</source>
        <translation>Lacuna %1

Chattet mit einem lokalen Modell und zeigt, was dessen Gedächtnis kostet.

Freie Software unter der GNU General Public License, Version 3 oder später.
Verwendet Qt %2.</translation>
    </message>
    <message>
        <source>The next question reads the whole text again, about %1 tokens, because its beginning changes.</source>
        <translation>Die nächste Frage liest den ganzen Text neu, etwa %1 Token, weil sich sein Anfang ändert.</translation>
    </message>
    <message>
        <source>This conversation has no older half yet.</source>
        <translation>Dieses Gespräch hat noch keine ältere Hälfte.</translation>
    </message>
    <message>
        <source>Folder for saved caches</source>
        <translation>Ordner für gespeicherte Caches</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Texts, code, PDF (*);;PDF (*.pdf)</source>
        <translation>Texte, Code, PDF (*);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Open a report</source>
        <translation>Einen Bericht öffnen</translation>
    </message>
    <message>
        <source>Reports (*.json);;All files (*)</source>
        <translation>Berichte (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Settings of the window now: %1. What is cached is compacted when the next answer needs it, or at once by Compact now (F9).</source>
        <translation>Einstellungen des Fensters jetzt: %1. Was im Cache steht, wird verdichtet, wenn die nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“ (F9).</translation>
    </message>
    <message>
        <source>Save the cache</source>
        <translation>Den Cache speichern</translation>
    </message>
    <message>
        <source>Caches (*.kvcache)</source>
        <translation>Caches (*.kvcache)</translation>
    </message>
    <message>
        <source>Load a cache</source>
        <translation>Einen Cache laden</translation>
    </message>
    <message>
        <source>Caches (*.kvcache);;All files (*)</source>
        <translation>Caches (*.kvcache);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowNotices</name>
    <message>
        <source>Report written: %1 files in %2</source>
        <translation>Bericht geschrieben: %1 Dateien in %2</translation>
    </message>
    <message>
        <source>Load another model</source>
        <translation>Anderes Modell laden</translation>
    </message>
    <message>
        <source>Method is now %1: “%2” has no effect without one.</source>
        <translation>Die Methode ist jetzt %1: „%2“ hat ohne eine keine Wirkung.</translation>
    </message>
    <message>
        <source>Method none</source>
        <translation>Methode „Keine“</translation>
    </message>
    <message>
        <source>Not compacted: %1.</source>
        <translation>Nicht verdichtet: %1.</translation>
    </message>
    <message>
        <source>Make room...</source>
        <translation>Platz schaffen...</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Bring back and answer again</source>
        <translation>Zurückholen und neu antworten</translation>
    </message>
</context>
</TS>
