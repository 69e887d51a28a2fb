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
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Tokens per second appear while a prompt is read or an answer is written.</source>
        <translation>Token je Sekunde erscheinen, während ein Prompt gelesen oder eine Antwort geschrieben wird.</translation>
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
        <source>Prompt reuse</source>
        <translation>Wiederverwendung</translation>
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
        <source>No compaction in this window.</source>
        <translation>Keine Verdichtung in diesem Ausschnitt.</translation>
    </message>
    <message>
        <source>work up to %1</source>
        <translation>Arbeit bis zu %1</translation>
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
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>%1 kept, %2</source>
        <translation>%1 behalten, %2</translation>
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
        <source>This conversation has no cache now.</source>
        <translation>Dieses Gespräch hat jetzt keinen Cache.</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>begrenzt</translation>
    </message>
    <message>
        <source>work %1</source>
        <translation>Arbeit %1</translation>
    </message>
    <message>
        <source>No data in this window: the engine was idle.</source>
        <translation>In diesem Fenster keine Daten: Die Engine war untätig.</translation>
    </message>
    <message>
        <source>First compaction above %1 slots per head, %2 to go.</source>
        <translation>Erste Verdichtung über %1 Slots je Kopf, noch %2.</translation>
    </message>
    <message>
        <source>different cache from here on</source>
        <translation>ab hier ein anderer Cache</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>keine Daten</translation>
    </message>
    <message>
        <source>Will be measured after the next answer.</source>
        <translation>Wird nach der nächsten Antwort gemessen.</translation>
    </message>
    <message>
        <source>Nothing to measure: no token has been evicted yet.</source>
        <translation>Nichts zu messen: Noch wurde kein Token verdrängt.</translation>
    </message>
    <message>
        <source>In use: share of the cache that is occupied, as reported by the engine.</source>
        <translation>In Gebrauch: belegter Anteil des Caches, wie die Engine ihn meldet.</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>gefordert</translation>
    </message>
    <message>
        <source>requested %1</source>
        <translation>gefordert %1</translation>
    </message>
    <message>
        <source>Achieved ratio, %1: %2 in bytes, %3 in tokens per slot, %4.</source>
        <translation>Erreichtes Verhältnis, %1: %2 in Bytes, %3 in Token je Slot, %4.</translation>
    </message>
    <message>
        <source>%1 requested</source>
        <translation>%1 gefordert</translation>
    </message>
    <message>
        <source>none requested</source>
        <translation>keines gefordert</translation>
    </message>
    <message>
        <source>Decode: answer tokens per second, averaged over one second, compactions included. Trend: the same, smoothed over two seconds. Prefill: prompt tokens per second. Flags: time to the first token. Gaps are idle time. Logarithmic scale.</source>
        <translation>Decodieren: Token der Antwort je Sekunde, über eine Sekunde gemittelt, Verdichtungen eingerechnet. Trend: dasselbe, über zwei Sekunden geglättet. Prefill: Token des Prompts je Sekunde. Fähnchen: Zeit bis zum ersten Token. Lücken sind Leerlauf. Logarithmische Skala.</translation>
    </message>
    <message>
        <source>Throughput, %1: decode %2, prefill %3, %4.</source>
        <translation>Durchsatz, %1: Decodieren %2, Prefill %3, %4.</translation>
    </message>
    <message>
        <source>Compares the compacted cache with the full cache at regular intervals. KL: how far the probabilities of the next token moved, in nats. Differs: share of the last 16 samples with a different top token. Error: relative error of the attention output of a few heads. Lower is better; 0 equals the full cache.</source>
        <translation>Vergleicht den verdichteten Cache regelmäßig mit dem vollen. KL: wie weit sich die Wahrscheinlichkeiten des nächsten Tokens verschoben haben, in Nats. Abweichend: Anteil der letzten 16 Proben mit anderem wahrscheinlichstem Token. Fehler: relativer Fehler der Attention-Ausgabe einiger Köpfe. Weniger ist besser; 0 entspricht dem vollen Cache.</translation>
    </message>
    <message>
        <source>same top token %1</source>
        <translation>gleiches Top-Token %1</translation>
    </message>
    <message>
        <source>takes %1 of the time</source>
        <translation>braucht %1 der Zeit</translation>
    </message>
    <message>
        <source>Quality, %1: KL %2 nats, same top token in %3 of the last samples; measuring takes %4 of the time.</source>
        <translation>Qualität, %1: KL %2 Nats, gleiches wahrscheinlichstes Token in %3 der letzten Proben; das Messen braucht %4 der Zeit.</translation>
    </message>
    <message>
        <source>Prompt reuse appears with the first answer.</source>
        <translation>Die Wiederverwendung erscheint mit der ersten Antwort.</translation>
    </message>
    <message>
        <source>Share of each prompt that was not read again because it was in the conversation&apos;s cache or in the prefix cache. 100 % is everything but the last token.</source>
        <translation>Anteil jedes Prompts, der nicht neu gelesen wurde, weil er im Cache des Gesprächs oder im Präfix-Cache stand. 100 % ist alles bis auf das letzte Token.</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>The prefix cache is empty.</source>
        <translation>Der Präfix-Cache ist leer.</translation>
    </message>
    <message>
        <source>Size of the prefix cache, which spares conversations, branches and requests from reading a shared prefix again. Rows in memory that a conversation also holds are counted but not copied. The Memory page sets the limits.</source>
        <translation>Größe des Präfix-Caches, dank dem Gespräche, Zweige und Anfragen ein gemeinsames Präfix nicht neu lesen. Zeilen im Speicher, die auch ein Gespräch hält, werden gezählt, aber nicht kopiert. Die Grenzen stehen auf der Seite „Gedächtnis“.</translation>
    </message>
    <message>
        <source>Prefix cache, %1: %2 in memory, %3 on disk.</source>
        <translation>Präfix-Cache, %1: %2 im Speicher, %3 auf der Platte.</translation>
    </message>
    <message>
        <source>How long each stage of the compactions in this window took, on a logarithmic scale. Score: how much each slot matters. Select: which slots stay. Fit: biases and values of those. Apply: writing the cache. Work: total. Pause: the part the conversation waited for. Solid line: median; dashed line: 95th percentile. All lanes share one count scale.</source>
        <translation>Wie lange jeder Abschnitt der Verdichtungen in diesem Fenster dauerte, auf logarithmischer Skala. Bewerten: wie viel jeder Slot zählt. Auswählen: welche Slots bleiben. Anpassen: Verschiebungen und Werte der bleibenden. Anwenden: den Cache schreiben. Arbeit: zusammen. Pause: worauf das Gespräch wartete. Durchgezogene Linie: Median; gestrichelte: 95. Perzentil. Alle Spuren haben dieselbe Skala der Anzahl.</translation>
    </message>
    <message>
        <source>pauses of %1 compactions</source>
        <translation>Pausen von %1 Verdichtungen</translation>
    </message>
    <message>
        <source>Live cache size</source>
        <translation>Cache-Größe</translation>
    </message>
    <message>
        <source>Compaction latency</source>
        <translation>Verdichtungslatenz</translation>
    </message>
    <message>
        <source>Compaction latency: %1 compactions, last %2, median %3, longest %4, %5 failed.</source>
        <translation>Verdichtungslatenz: %1 Verdichtungen, letzte %2, Median %3, längste %4, %5 gescheitert.</translation>
    </message>
    <message>
        <source>states %1, checkpoints %2</source>
        <translation>Zustände %1, Sicherungspunkte %2</translation>
    </message>
    <message>
        <source>states</source>
        <translation>Zustände</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>Sicherungspunkte</translation>
    </message>
    <message>
        <source> Recurrent layers: %1.</source>
        <translation> Rekurrente Schichten: %1.</translation>
    </message>
    <message>
        <source>Bytes: logical divided by live bytes. Tokens: context tokens per slot, mean over all heads; differs from bytes where rows are stored as codes. All memory: bytes with the states and checkpoints of recurrent layers on both sides. Requested: the ratio set when a compaction ran. 1x means nothing is saved.</source>
        <translation>Bytes: logische durch belegte Bytes. Token: Kontext-Token je Slot, Mittel über alle Köpfe; weicht von Bytes ab, wo Zeilen als Codes gespeichert sind. Gesamter Speicher: Bytes, auf beiden Seiten mit Zuständen und Sicherungspunkten rekurrenter Schichten. Angefordert: das Verhältnis, das bei der Verdichtung eingestellt war. 1x heißt: nichts gespart.</translation>
    </message>
    <message>
        <source>all memory</source>
        <translation>gesamter Speicher</translation>
    </message>
    <message>
        <source>all memory %1</source>
        <translation>gesamter Speicher %1</translation>
    </message>
    <message>
        <source>Restored tokens</source>
        <translation>Wiederhergestellte Token</translation>
    </message>
    <message>
        <source>Nothing has been restored yet. Select evicted words in the retention overlay and choose Restore words.</source>
        <translation>Noch wurde nichts wiederhergestellt. Markieren Sie verdrängte Wörter bei eingeblendetem Verbleib und wählen Sie „Wörter wiederherstellen“.</translation>
    </message>
    <message>
        <source>Restored: evicted tokens that were restored so far. Kept: those of them that later compactions must keep. Bytes are those of their rows in a full cache.</source>
        <translation>Wiederhergestellt: bisher wiederhergestellte verdrängte Token. Behalten: wie viele davon spätere Verdichtungen behalten müssen. Bytes sind die ihrer Zeilen in einem vollen Cache.</translation>
    </message>
    <message>
        <source>restored</source>
        <translation>wiederhergestellt</translation>
    </message>
    <message>
        <source>Restored tokens, %1: %2 so far, %3 of them kept, %4 of rows.</source>
        <translation>Wiederhergestellte Token, %1: bisher %2, davon %3 behalten, %4 an Zeilen.</translation>
    </message>
    <message>
        <source>How long the conversation waited for each compaction. Circle: over budget. Square: requested manually. Diamond: after a settings change. Triangle: cache limit of all conversations reached. Cross: failed, cache unchanged. Bar: total work, including the part in the background. Click to select the row in the timeline.</source>
        <translation>Wie lange das Gespräch auf jede Verdichtung wartete. Kreis: über dem Budget. Quadrat: von Hand angefordert. Raute: nach einer geänderten Einstellung. Dreieck: Cache-Grenze aller Gespräche erreicht. Kreuz: gescheitert, Cache unverändert. Balken: gesamte Arbeit, auch die im Hintergrund. Ein Klick wählt die Zeile in der Zeitleiste.</translation>
    </message>
    <message>
        <source>Compactions per bar: done, limited (smaller ratio than requested, to lose less), skipped and failed. The crosshair shows the reasons.</source>
        <translation>Verdichtungen je Balken: ausgeführt, begrenzt (kleineres Verhältnis als angefordert, um weniger zu verlieren), übersprungen und gescheitert. Das Fadenkreuz zeigt die Gründe.</translation>
    </message>
    <message>
        <source>Outcomes so far: %1 compactions done, %2 limited, %3 skipped, %4 failed.</source>
        <translation>Ergebnisse bisher: %1 Verdichtungen ausgeführt, %2 begrenzt, %3 übersprungen, %4 gescheitert.</translation>
    </message>
    <message>
        <source>%1 limited</source>
        <translation>%1 begrenzt</translation>
    </message>
    <message>
        <source>The first compaction is due.</source>
        <translation>Die erste Verdichtung ist fällig.</translation>
    </message>
    <message>
        <source>drafts %1</source>
        <translation>Entwürfe %1</translation>
    </message>
    <message>
        <source>Logical: size of an uncompressed cache. Live: slots in use; a coded cache counts its codes, their scales and the 16-bit rows of the first and newest tokens. Allocated: buffers including slack. Budget: size after a compaction. Trigger: size above which a compaction runs. States: memory of recurrent layers, which does not grow with the text. Checkpoints: earlier states, from which an edit or another answer continues. Drafts: cache of the draft model or of the model&apos;s own draft block.</source>
        <translation>Logisch: Größe eines unkomprimierten Caches. Belegt: genutzte Slots; ein codierter Cache zählt seine Codes, deren Skalen und die 16-Bit-Zeilen der ersten und neuesten Token. Reserviert: Puffer samt Spielraum. Budget: Größe nach einer Verdichtung. Auslöser: Größe, ab der verdichtet wird. Zustände: Speicher rekurrenter Schichten, der nicht mit dem Text wächst. Sicherungspunkte: frühere Zustände, von denen eine Änderung oder eine andere Antwort ausgeht. Entwürfe: Cache des Entwurfsmodells oder des modelleigenen Entwurfsblocks.</translation>
    </message>
    <message>
        <source>drafts</source>
        <translation>Entwürfe</translation>
    </message>
</context>
<context>
    <name>ChatMessages</name>
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
    <message>
        <source>The answer reached its maximum length. Raise &quot;Max tokens&quot; for longer answers.</source>
        <translation>Die Antwort hat ihre Höchstlänge erreicht. Erhöhen Sie „Höchstzahl Token“ für längere Antworten.</translation>
    </message>
    <message>
        <source>The answer ended because the context is full. Switch on context shift, raise the context, or start a new conversation.</source>
        <translation>Die Antwort endete, weil der Kontext voll ist. Schalten Sie die Kontextverschiebung ein, vergrößern Sie den Kontext oder beginnen Sie ein neues Gespräch.</translation>
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
        <source>Newest only (StreamingLLM)</source>
        <translation>Nur neueste (StreamingLLM)</translation>
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
    <message>
        <source>Least similar keys (KeyDiff)</source>
        <translation>Unähnlichste Schlüssel (KeyDiff)</translation>
    </message>
    <message>
        <source>Attended by the newest queries (SnapKV)</source>
        <translation>Von den neuesten Abfragen beachtet (SnapKV)</translation>
    </message>
    <message>
        <source>Attended by all queries (H2O)</source>
        <translation>Von allen Abfragen beachtet (H2O)</translation>
    </message>
    <message>
        <source>Attended when the text is repeated (KVzip)</source>
        <translation>Beim Wiederholen des Textes beachtet (KVzip)</translation>
    </message>
    <message>
        <source>Expected to be attended (Expected Attention)</source>
        <translation>Voraussichtlich beachtet (Expected Attention)</translation>
    </message>
    <message>
        <source>Equal for all heads</source>
        <translation>Für alle Köpfe gleich</translation>
    </message>
    <message>
        <source>By score within a layer (Ada-KV)</source>
        <translation>Nach Wertung innerhalb einer Schicht (Ada-KV)</translation>
    </message>
    <message>
        <source>By score across all layers (KVzip)</source>
        <translation>Nach Wertung über alle Schichten (KVzip)</translation>
    </message>
    <message>
        <source>By the spread of a head&apos;s attention</source>
        <translation>Nach der Breite der Attention eines Kopfes</translation>
    </message>
    <message>
        <source>Queries so far</source>
        <translation>Bisherige Abfragen</translation>
    </message>
    <message>
        <source>After each chunk</source>
        <translation>Nach jedem Stück</translation>
    </message>
    <message>
        <source>Same for all layers</source>
        <translation>Für alle Schichten gleich</translation>
    </message>
    <message>
        <source>Separate for each answer</source>
        <translation>Für jede Antwort getrennt</translation>
    </message>
    <message>
        <source>Earlier text</source>
        <translation>Früherer Text</translation>
    </message>
    <message>
        <source>Multi-token prediction</source>
        <translation>Vorhersage mehrerer Token</translation>
    </message>
    <message>
        <source>By the decrease of a head&apos;s error</source>
        <translation>Nach der Abnahme des Fehlers eines Kopfes</translation>
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
        <source>KL, 99th percentile</source>
        <translation>KL, 99. Perzentil</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>Nats</translation>
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
        <source>First difference at token %1 of the answer. A: %2. B: %3.</source>
        <translation>Erster Unterschied bei Token %1 der Antwort. A: %2. B: %3.</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>Answer tokens</source>
        <translation>Token der Antwort</translation>
    </message>
    <message>
        <source>Logical / live bytes</source>
        <translation>Logische / belegte Bytes</translation>
    </message>
    <message>
        <source>Answer tokens per second</source>
        <translation>Token der Antwort je Sekunde</translation>
    </message>
    <message>
        <source>measuring excluded</source>
        <translation>ohne Messung</translation>
    </message>
    <message>
        <source>KL to the full cache, mean</source>
        <translation>KL zum vollen Cache, Mittel</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>Gleiches Top-Token</translation>
    </message>
    <message>
        <source>end of the answer</source>
        <translation>Ende der Antwort</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>Both answers have the same %1 tokens.</source>
        <translation>Beide Antworten haben dieselben %1 Token.</translation>
    </message>
    <message>
        <source> Neither cache was compacted: ask about a longer text or raise the ratio.</source>
        <translation> Keiner der Caches wurde verdichtet: Fragen Sie zu einem längeren Text oder erhöhen Sie das Verhältnis.</translation>
    </message>
</context>
<context>
    <name>ConnectionList</name>
    <message>
        <source>No key is stored.</source>
        <translation>Kein Schlüssel ist gespeichert.</translation>
    </message>
    <message>
        <source>The key is stored in the desktop keyring.</source>
        <translation>Der Schlüssel liegt im Schlüsselbund des Desktops.</translation>
    </message>
    <message>
        <source>No keyring is available: the key is stored in a file that only you can read.</source>
        <translation>Kein Schlüsselbund verfügbar: Der Schlüssel liegt in einer Datei, die nur Sie lesen können.</translation>
    </message>
    <message>
        <source>The key is discarded when the program ends.</source>
        <translation>Der Schlüssel wird verworfen, wenn das Programm endet.</translation>
    </message>
</context>
<context>
    <name>Conversations</name>
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
        <source>They cannot be read here, and nothing</source>
        <translation>Sie können hier nicht gelesen werden, und nichts</translation>
    </message>
    <message>
        <source>%1 cannot be renamed.</source>
        <translation>%1 lässt sich nicht umbenennen.</translation>
    </message>
    <message>
        <source>Recovered conversation</source>
        <translation>Wiederhergestelltes Gespräch</translation>
    </message>
    <message>
        <source>The stored conversations were damaged and nothing could be recovered. The file was moved to %1 and a new one was created.</source>
        <translation>Die gespeicherten Gespräche waren beschädigt, und nichts konnte wiederhergestellt werden. Die Datei wurde nach %1 verschoben und eine neue angelegt.</translation>
    </message>
    <message>
        <source>The stored conversations were damaged. %1 conversations with %2 messages were recovered. </source>
        <translation>Die gespeicherten Gespräche waren beschädigt. %1 Gespräche mit %2 Nachrichten wurden wiederhergestellt. </translation>
    </message>
    <message>
        <source>“%1” was changed by another instance of Lacuna in the meantime.</source>
        <translation>„%1“ wurde inzwischen von einer anderen Instanz von Lacuna geändert.</translation>
    </message>
    <message>
        <source>%1 was written by a newer version of Lacuna. It is left unchanged, and conversations of this session are not saved.</source>
        <translation>%1 wurde von einer neueren Version von Lacuna geschrieben. Die Datei bleibt unverändert, und Gespräche dieser Sitzung werden nicht gespeichert.</translation>
    </message>
    <message>
        <source>Conversations are not saved: %1</source>
        <translation>Gespräche werden nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>%1 cannot be created.</source>
        <translation>%1 kann nicht angelegt werden.</translation>
    </message>
    <message>
        <source>%1 is damaged, and its readable part cannot be saved: %2</source>
        <translation>%1 ist beschädigt, und der lesbare Teil kann nicht gespeichert werden: %2</translation>
    </message>
    <message>
        <source>They are shown here, but nothing</source>
        <translation>Sie werden hier angezeigt, aber nichts</translation>
    </message>
    <message>
        <source>Another instance of Lacuna (%1) uses the conversations in %2. %3 is saved until it ends. `lacuna window --data-dir FOLDER` uses another folder.</source>
        <translation>Eine andere Instanz von Lacuna (%1) verwendet die Gespräche in %2. %3 wird gespeichert, bis sie endet. `lacuna window --data-dir ORDNER` verwendet einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Conversations are not saved: %1 %2 is saved until this is fixed.</source>
        <translation>Gespräche werden nicht gespeichert: %1 %2 wird gespeichert, bis das behoben ist.</translation>
    </message>
    <message>
        <source>%1 cannot be moved.</source>
        <translation>%1 kann nicht verschoben werden.</translation>
    </message>
    <message>
        <source>This message was damaged on disk and may differ from the original.</source>
        <translation>Diese Nachricht wurde auf der Platte beschädigt und kann vom Original abweichen.</translation>
    </message>
    <message>
        <source>Lacuna quit while this answer was being written.</source>
        <translation>Lacuna wurde beendet, während diese Antwort geschrieben wurde.</translation>
    </message>
</context>
<context>
    <name>DownloadRequest</name>
    <message>
        <source>Two of its files are named %1.</source>
        <translation>Zwei seiner Dateien heißen %1.</translation>
    </message>
    <message>
        <source>A SHA-256 digest has 64 digits, 0-9 and a-f.</source>
        <translation>Eine SHA-256-Prüfsumme hat 64 Zeichen aus 0-9 und a-f.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
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
        <source>the policy chooses by keys, not by attention</source>
        <translation>die Regel wählt nach Schlüsseln, nicht nach Attention</translation>
    </message>
    <message>
        <source>%1 or more while method is l2</source>
        <translation>%1 oder mehr, solange die Methode „Token verdrängen“ ist</translation>
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
        <source>off, or 1 to %1</source>
        <translation>aus, oder 1 bis %1</translation>
    </message>
    <message>
        <source>auto, uniform, entropy, coverage, task_free, reconstruction</source>
        <translation>auto, uniform, entropy, coverage, task_free, reconstruction</translation>
    </message>
    <message>
        <source>auto, repetition</source>
        <translation>auto, repetition</translation>
    </message>
    <message>
        <source>auto or equal while coherence is %1</source>
        <translation>auto oder equal, solange coherence %1 ist</translation>
    </message>
    <message>
        <source>auto, equal, adaptive</source>
        <translation>auto, equal, adaptive</translation>
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
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>AM ratio</source>
        <translation>AM-Verhältnis</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>Slots</translation>
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
        <source>Compact when</source>
        <translation>Wann verdichten</translation>
    </message>
    <message>
        <source>Pin rare tokens</source>
        <translation>Seltene Token festhalten</translation>
    </message>
    <message>
        <source>Skip layers</source>
        <translation>Schichten auslassen</translation>
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
        <source>same, %1</source>
        <translation>same, %1</translation>
    </message>
    <message>
        <source>auto, hadamard</source>
        <translation>auto, hadamard</translation>
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
        <source>Value type</source>
        <translation>Typ der Werte</translation>
    </message>
    <message>
        <source>Exact window</source>
        <translation>Exaktes Fenster</translation>
    </message>
    <message>
        <source>neither kv_type nor v_type is one of the rotated codes t8 to t1</source>
        <translation>weder kv_type noch v_type ist einer der rotierten Codes t8 bis t1</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Rotation</translation>
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
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Layer caches</source>
        <translation>Caches der Schichten</translation>
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
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>Prefix cache on disk</source>
        <translation>Präfix-Cache auf der Platte</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Context shift</source>
        <translation>Kontextverschiebung</translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation>Prefill-Stück</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>Entwurfstoken</translation>
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
        <source>Frequency penalty</source>
        <translation>Häufigkeitsabzug</translation>
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
        <source>&apos;%1&apos; is not of the form key=value.</source>
        <translation>„%1“ hat nicht die Form Name=Wert.</translation>
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
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>keep one of the two</source>
        <translation>behalten Sie eines von beiden</translation>
    </message>
    <message>
        <source>sliding layers of the model</source>
        <translation>Fensterschichten des Modells</translation>
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
        <source>idle: an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>ruht: Ein AM-Verhältnis von 1 behält jedes Token, und kein Budget ist gesetzt</translation>
    </message>
    <message>
        <source>nothing to gain: %1 slots, the target is %2</source>
        <translation>nichts zu gewinnen: %1 Slots, das Ziel ist %2</translation>
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
        <source>auto is %1: best recall in %2 dialogues with %3, %4</source>
        <translation>auto ist %1: bester Recall in %2 Dialogen mit %3, %4</translation>
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
        <source>the conversation has no message to answer</source>
        <translation>das Gespräch hat keine Nachricht zu beantworten</translation>
    </message>
    <message>
        <source>the prompt has %1 bytes, which are %2 tokens or more, and the context has room for %3; shorten the conversation or raise the context</source>
        <translation>der Prompt hat %1 Bytes, das sind %2 Token oder mehr, und der Kontext hat Platz für %3; kürzen Sie das Gespräch oder vergrößern Sie den Kontext</translation>
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
        <source>the caches hold %1 and the next step needs %2 more, above the limit of %3</source>
        <translation>die Caches halten %1, und der nächste Schritt braucht %2 mehr, über der Grenze von %3</translation>
    </message>
    <message>
        <source>%1 am</source>
        <translation>%1 am</translation>
    </message>
    <message>
        <source>Long chat</source>
        <translation>Langes Gespräch</translation>
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
        <source>this conversation has no cache yet</source>
        <translation>dieses Gespräch hat noch keinen Cache</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>kein Modell ist geladen</translation>
    </message>
    <message>
        <source>there is not enough memory for it</source>
        <translation>dafür reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>es wurde angehalten</translation>
    </message>
    <message>
        <source>the engine ran out of memory and has stopped.</source>
        <translation>der Engine ging der Speicher aus, sie ist stehen geblieben.</translation>
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
        <source>with room for compactions in the background</source>
        <translation>mit Platz für Verdichtungen im Hintergrund</translation>
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
        <source>The weights fit.</source>
        <translation>Die Gewichte passen.</translation>
    </message>
    <message>
        <source>The trained context of %1 tokens fits with an F16 cache%2.</source>
        <translation>Der trainierte Kontext von %1 Token passt mit einem F16-Cache%2.</translation>
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
        <source>no model is loaded; load one before calibrating</source>
        <translation>kein Modell ist geladen; laden Sie eines, bevor Sie kalibrieren</translation>
    </message>
    <message>
        <source>the calibration was stopped</source>
        <translation>die Kalibrierung wurde angehalten</translation>
    </message>
    <message>
        <source>The context is %1 tokens instead of %2, because the cache must fit this machine&apos;s memory.</source>
        <translation>Der Kontext hat %1 statt %2 Token, weil der Cache in den Speicher dieses Rechners passen muss.</translation>
    </message>
    <message>
        <source>no model is loaded; load one before sending a message</source>
        <translation>kein Modell ist geladen; laden Sie eines, bevor Sie eine Nachricht senden</translation>
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
        <source>sync the folder</source>
        <translation>Ordner auf die Platte bringen</translation>
    </message>
    <message>
        <source>set the mode of</source>
        <translation>Zugriffsrechte setzen</translation>
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
        <source>prefix_cache and prefix_disk are 0</source>
        <translation>prefix_cache und prefix_disk sind 0</translation>
    </message>
    <message>
        <source>judged by the queries of the newest turn</source>
        <translation>beurteilt nach den Abfragen der neuesten Runde</translation>
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
        <source>%1 of its tasks need a longer text</source>
        <translation>%1 seiner Aufgaben brauchen einen längeren Text</translation>
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
        <source>The newest tokens, which no compaction touches.</source>
        <translation>Die neuesten Token, die keine Verdichtung anrührt.</translation>
    </message>
    <message>
        <source>any length</source>
        <translation>jede Länge</translation>
    </message>
    <message>
        <source>any other policy</source>
        <translation>jedes andere Verfahren</translation>
    </message>
    <message>
        <source>%1, or a number from %2 to %3</source>
        <translation>%1 oder eine Zahl von %2 bis %3</translation>
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
        <source>the model&apos;s query centres are not calibrated, so those of this conversation were used</source>
        <translation>die Zentren der Anfragen des Modells sind nicht kalibriert, daher galten die dieses Gesprächs</translation>
    </message>
    <message>
        <source>the model was unloaded</source>
        <translation>das Modell wurde entladen</translation>
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
        <source>an AM ratio of 1 keeps every token and no budget is set</source>
        <translation>ein AM-Verhältnis von 1 behält jedes Token, und kein Budget ist gesetzt</translation>
    </message>
    <message>
        <source>no head has more slots than the target</source>
        <translation>kein Kopf hat mehr Slots als das Ziel</translation>
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
        <source>idle: %1 of %2 slots per head; compaction starts after 1 more token</source>
        <translation>wartet: %1 von %2 Slots je Kopf; Verdichtung beginnt nach einem weiteren Token</translation>
    </message>
    <message>
        <source>no budget is set, so nothing is evicted</source>
        <translation>es ist kein Budget gesetzt, also wird nichts verdrängt</translation>
    </message>
    <message>
        <source>this conversation has %1 tokens and is not compacted below %2</source>
        <translation>dieses Gespräch hat %1 Token und wird unter %2 nicht verdichtet</translation>
    </message>
    <message>
        <source>a compaction is already running in the background</source>
        <translation>im Hintergrund läuft bereits eine Verdichtung</translation>
    </message>
    <message>
        <source>it follows after this answer, once its loss is measured</source>
        <translation>sie folgt nach dieser Antwort, sobald ihr Verlust gemessen ist</translation>
    </message>
    <message>
        <source>no ratio keeps loss_limit=%1: even at %2x only %3 % of the text&apos;s information would be kept, and %4 % of the weakest passage; the cache is unchanged</source>
        <translation>kein Verhältnis hält loss_limit=%1 ein: Selbst bei %2x blieben nur %3 % der Information des Textes und %4 % der schwächsten Passage; der Cache ist unverändert</translation>
    </message>
    <message>
        <source>only the loss of the current cache was measured</source>
        <translation>nur der Verlust des jetzigen Cache wurde gemessen</translation>
    </message>
    <message>
        <source>the number format alone loses more than loss_limit=%1 allows; use more bits for keys and values</source>
        <translation>schon das Zahlenformat verliert mehr, als loss_limit=%1 erlaubt; verwenden Sie mehr Bits für Schlüssel und Werte</translation>
    </message>
    <message>
        <source>the cache is unchanged</source>
        <translation>der Cache ist unverändert</translation>
    </message>
    <message>
        <source>reading the text for its queries was cancelled; the cache is unchanged</source>
        <translation>das Lesen des Textes für seine Abfragen wurde abgebrochen; der Cache ist unverändert</translation>
    </message>
    <message>
        <source>reading its text was cancelled</source>
        <translation>das Lesen seines Textes wurde abgebrochen</translation>
    </message>
    <message>
        <source>measuring its loss was cancelled</source>
        <translation>das Messen ihres Verlusts wurde abgebrochen</translation>
    </message>
    <message>
        <source>another compaction was requested</source>
        <translation>eine andere Verdichtung wurde verlangt</translation>
    </message>
    <message>
        <source>the conversation continued</source>
        <translation>das Gespräch ging weiter</translation>
    </message>
    <message>
        <source>the conversation was rolled back into the tokens being compacted</source>
        <translation>das Gespräch wurde in die gerade verdichteten Token zurückgesetzt</translation>
    </message>
    <message>
        <source>the conversation is read again</source>
        <translation>das Gespräch wird erneut gelesen</translation>
    </message>
    <message>
        <source>the conversation was closed</source>
        <translation>das Gespräch wurde geschlossen</translation>
    </message>
    <message>
        <source>a question was sent; the loss is measured after its answer</source>
        <translation>eine Frage wurde gesendet; der Verlust wird nach ihrer Antwort gemessen</translation>
    </message>
    <message>
        <source>a question was sent; the text is read again after its answer</source>
        <translation>eine Frage wurde gesendet; der Text wird nach ihrer Antwort erneut gelesen</translation>
    </message>
    <message>
        <source>the answer starts from a prefix entry</source>
        <translation>die Antwort beginnt aus einem Präfix-Eintrag</translation>
    </message>
    <message>
        <source>%1x of the requested %2x: a higher ratio would lose more than loss_limit=%3 allows</source>
        <translation>%1x der verlangten %2x: ein höheres Verhältnis verlöre mehr, als loss_limit=%3 erlaubt</translation>
    </message>
    <message>
        <source>%1x of the requested %2x, because %3 tokens are protected</source>
        <translation>%1x der verlangten %2x, weil %3 Token geschützt sind</translation>
    </message>
    <message>
        <source>the question had to be compacted too</source>
        <translation>auch die Frage musste verdichtet werden</translation>
    </message>
    <message>
        <source>the cache limit ignores loss_limit</source>
        <translation>die Cache-Grenze beachtet loss_limit nicht</translation>
    </message>
    <message>
        <source>judged by queries from reading the text again, %1 tokens</source>
        <translation>beurteilt nach Abfragen aus erneutem Lesen des Textes, %1 Token</translation>
    </message>
    <message>
        <source>judged by queries from repeating the text, %1 tokens</source>
        <translation>beurteilt nach Abfragen aus Wiederholen des Textes, %1 Token</translation>
    </message>
    <message>
        <source>no queries from reading the text again: %1</source>
        <translation>keine Abfragen aus erneutem Lesen des Textes: %1</translation>
    </message>
    <message>
        <source>no queries from repeating the text: %1</source>
        <translation>keine Abfragen aus Wiederholen des Textes: %1</translation>
    </message>
    <message>
        <source>the newest turn has queries of %1 tokens, but at least %2 are needed: earlier ones were used too</source>
        <translation>die neueste Runde hat Abfragen von %1 Token, aber mindestens %2 sind nötig: frühere wurden mitverwendet</translation>
    </message>
    <message>
        <source>queries of %1 tokens were captured, but at least %2 are needed: KeyDiff chose the keys, and values are unchanged</source>
        <translation>Abfragen von %1 Token wurden erfasst, aber mindestens %2 sind nötig: KeyDiff wählte die Schlüssel, und Werte sind unverändert</translation>
    </message>
    <message>
        <source>scored by repeating the text, %1 tokens in %2 pieces</source>
        <translation>gewertet durch Wiederholen des Textes, %1 Token in %2 Stücken</translation>
    </message>
    <message>
        <source>no scores from repeating the text: %1</source>
        <translation>keine Wertungen aus Wiederholen des Textes: %1</translation>
    </message>
    <message>
        <source>no scores from repeating the text: none were collected</source>
        <translation>keine Wertungen aus Wiederholen des Textes: es wurden keine gesammelt</translation>
    </message>
    <message>
        <source>scores predicted by the surrogate</source>
        <translation>Wertungen vom Ersatz vorhergesagt</translation>
    </message>
    <message>
        <source>scores predicted by the surrogate, which read %1 tokens again</source>
        <translation>Wertungen vom Ersatz vorhergesagt, der %1 Token erneut las</translation>
    </message>
    <message>
        <source>the surrogate has seen only %1 of %2 tokens, and the rest were not read again</source>
        <translation>der Ersatz hat nur %1 von %2 Token gesehen, und der Rest wurde nicht erneut gelesen</translation>
    </message>
    <message>
        <source>the surrogate has seen only %1 of %2 tokens, and the rest were not read again: %3</source>
        <translation>der Ersatz hat nur %1 von %2 Token gesehen, und der Rest wurde nicht erneut gelesen: %3</translation>
    </message>
    <message>
        <source>key norms of this model are nearly constant (spread %1 %), so KeyDiff was used instead</source>
        <translation>Schlüsselnormen dieses Modells sind fast konstant (Streuung %1 %), daher wurde KeyDiff verwendet</translation>
    </message>
    <message>
        <source>the rotation of this model&apos;s queries depends on the length of the text, so future queries cannot be predicted: KeyDiff was used instead</source>
        <translation>die Rotation der Abfragen dieses Modells hängt von der Länge des Textes ab, so dass künftige nicht vorhersagbar sind: stattdessen wurde KeyDiff verwendet</translation>
    </message>
    <message>
        <source>queries of %1 tokens were seen, but at least %2 are needed: KeyDiff was used instead</source>
        <translation>Abfragen von %1 Token wurden gesehen, aber mindestens %2 sind nötig: stattdessen wurde KeyDiff verwendet</translation>
    </message>
    <message>
        <source>KeyDiff was used instead</source>
        <translation>stattdessen wurde KeyDiff verwendet</translation>
    </message>
    <message>
        <source>its scores are not comparable across layers, so all heads kept the same number of slots</source>
        <translation>ihre Wertungen sind nicht über Schichten hinweg vergleichbar, daher behielten alle Köpfe gleich viele Slots</translation>
    </message>
    <message>
        <source>slots were divided by coverage</source>
        <translation>Slots wurden nach coverage verteilt</translation>
    </message>
    <message>
        <source>slots were divided by task_free</source>
        <translation>Slots wurden nach task_free verteilt</translation>
    </message>
    <message>
        <source>slots were divided by copy scores</source>
        <translation>Slots wurden nach Kopierwertungen verteilt</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so slots were divided by copy scores</source>
        <translation>die Köpfe des Modells sind noch nicht gemessen, daher wurden Slots nach Kopierwertungen verteilt</translation>
    </message>
    <message>
        <source>the model&apos;s heads are not measured yet, so slots were divided by coverage</source>
        <translation>die Köpfe des Modells sind noch nicht gemessen, daher wurden Slots nach coverage verteilt</translation>
    </message>
    <message>
        <source>the text is not known here, so demote_structure had no effect</source>
        <translation>der Text ist hier nicht bekannt, daher blieb demote_structure ohne Wirkung</translation>
    </message>
    <message>
        <source>%1 slots with non-finite keys were evicted first</source>
        <translation>%1 Slots mit nicht endlichen Schlüsseln wurden zuerst verdrängt</translation>
    </message>
    <message>
        <source>%1 heads hold different tokens since an earlier compaction, so they chose separately</source>
        <translation>%1 Köpfe halten seit einer früheren Verdichtung verschiedene Token und wählten daher getrennt</translation>
    </message>
    <message>
        <source>this kind of cache has no snapshots, so it was compacted in the foreground</source>
        <translation>diese Cache-Art hat keine Schnappschüsse, daher wurde im Vordergrund verdichtet</translation>
    </message>
    <message>
        <source>idle: the new settings apply at the next token</source>
        <translation>ruht: die neuen Einstellungen gelten ab dem nächsten Token</translation>
    </message>
    <message>
        <source>off: no method is chosen</source>
        <translation>aus: keine Methode gewählt</translation>
    </message>
    <message>
        <source>idle: no budget is set, so nothing is evicted</source>
        <translation>ruht: es ist kein Budget gesetzt, also wird nichts verdrängt</translation>
    </message>
    <message>
        <source>idle: every layer is listed in skip_layers or has its own window</source>
        <translation>ruht: jede Schicht steht in skip_layers oder hat ein eigenes Fenster</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, no compaction expected at this ratio</source>
        <translation>wartet: %1 Slots je Kopf, bei diesem Verhältnis keine Verdichtung zu erwarten</translation>
    </message>
    <message>
        <source>idle: %1 of %2 tokens, the minimum for a compaction</source>
        <translation>wartet: %1 von %2 Token, dem Minimum für eine Verdichtung</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, checked again at the end of the next turn</source>
        <translation>wartet: %1 Slots je Kopf, wird am Ende der nächsten Runde erneut geprüft</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, the first turn is kept uncompressed until the next one has ended</source>
        <translation>wartet: %1 Slots je Kopf, die erste Runde bleibt unkomprimiert, bis die nächste zu Ende ist</translation>
    </message>
    <message>
        <source>idle: %1 slots per head, compacts the %2 tokens before this turn when it ends</source>
        <translation>wartet: %1 Slots je Kopf, verdichtet die %2 Token vor dieser Runde, wenn sie endet</translation>
    </message>
    <message>
        <source>scored by repeating the text, %1 tokens in one piece</source>
        <translation>gewertet durch Wiederholen des Textes, %1 Token in einem Stück</translation>
    </message>
    <message>
        <source>method is none, there is no window and no rows are kept in 16 bits</source>
        <translation>die Methode ist „Keine“, es gibt kein Fenster, und keine Zeilen werden in 16 Bit gehalten</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and no rows are kept in 16 bits</source>
        <translation>das AM-Verhältnis ist 1, es gibt kein Budget, und keine Zeilen werden in 16 Bit gehalten</translation>
    </message>
    <message>
        <source>reconstruction scores are not used</source>
        <translation>Rekonstruktionswertungen werden nicht verwendet</translation>
    </message>
    <message>
        <source>method is l2 and its policy does not read the text again</source>
        <translation>die Methode ist „Token verdrängen“, und ihre Regel liest den Text nicht erneut</translation>
    </message>
    <message>
        <source>eviction needs a budget of slots to keep</source>
        <translation>das Verdrängen braucht ein Budget zu behaltender Slots</translation>
    </message>
    <message>
        <source>every layer of %1 has its own window%2</source>
        <translation>jede Schicht von %1 hat ihr eigenes Fenster%2</translation>
    </message>
    <message>
        <source>the context has %1 tokens and would leave nothing to compact</source>
        <translation>der Kontext hat %1 Token, und nichts zu verdichten bliebe übrig</translation>
    </message>
    <message>
        <source>the margin must not exceed the budget</source>
        <translation>der Spielraum darf das Budget nicht überschreiten</translation>
    </message>
    <message>
        <source>%1 has no head profile measured with questions; run lacuna calibrate-kv --questions</source>
        <translation>%1 hat kein mit Fragen gemessenes Kopfprofil; lacuna calibrate-kv --questions misst es</translation>
    </message>
    <message>
        <source>%1 has no surrogate for reconstruction scores; run lacuna calibrate-kv --surrogate</source>
        <translation>%1 hat keinen Ersatz für Rekonstruktionswertungen; lacuna calibrate-kv --surrogate passt einen an</translation>
    </message>
    <message>
        <source>heads that choose together keep the same tokens and so the same number of slots</source>
        <translation>Köpfe, die gemeinsam wählen, behalten dieselben Token und damit gleich viele Slots</translation>
    </message>
    <message>
        <source>the rotary angles of %1 depend on the length of the text, so future queries cannot be predicted</source>
        <translation>die Rotationswinkel von %1 hängen von der Länge des Textes ab, so dass künftige Abfragen nicht vorhersagbar sind</translation>
    </message>
    <message>
        <source>queries of %1 are normalised after the rotation, so future queries cannot be predicted</source>
        <translation>Abfragen von %1 werden nach der Rotation normiert, so dass künftige nicht vorhersagbar sind</translation>
    </message>
    <message>
        <source>scores of %1 are not comparable across layers, unlike attention scores</source>
        <translation>Wertungen von %1 sind, anders als Attention-Wertungen, nicht über Schichten hinweg vergleichbar</translation>
    </message>
    <message>
        <source>fewer layers that have no window of their own</source>
        <translation>weniger Schichten ohne eigenes Fenster</translation>
    </message>
    <message>
        <source>%1 would not change any layer</source>
        <translation>%1 würde keine Schicht verändern</translation>
    </message>
    <message>
        <source>How the cache is made smaller: none, l2 (eviction: instant, but evicted tokens are lost) or am (attention matching: loses less at the same size, but takes work in the background). l2 without a budget keeps 1024 slots (arXiv 2406.11430, arXiv 2602.16284).</source>
        <translation>Wie der Cache verkleinert wird: none, l2 (Verdrängung: sofort, aber verdrängte Token sind verloren) oder am (Attention Matching: verliert bei gleicher Größe weniger, braucht aber Arbeit im Hintergrund). l2 ohne Budget behält 1024 Slots (arXiv 2406.11430, arXiv 2602.16284).</translation>
    </message>
    <message>
        <source>How many times smaller attention matching makes the cache, sinks and recent tokens included; more saves memory, less loses less. If protected tokens leave fewer than 16 other slots, the largest possible ratio is used and shown (arXiv 2602.16284).</source>
        <translation>Wie viele Male kleiner Attention Matching den Cache macht, Senken und neueste Token eingerechnet; mehr spart Speicher, weniger verliert weniger. Lassen geschützte Token weniger als 16 andere Slots, wird das größte mögliche Verhältnis verwendet und angezeigt (arXiv 2602.16284).</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction: fewer save memory, more lose less. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>Slots, die jeder Kopf nach einer Verdichtung behält: Weniger sparen Speicher, mehr verlieren weniger. Mindestens Senken + neueste + 1, höchstens der Kontext; zwischen zwei Verdichtungen darf der Cache um den Spielraum darüber liegen.</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches, because answers degrade without them (attention sinks, arXiv 2309.17453). A new cache of rotated codes keeps as many tokens in 16 bits.</source>
        <translation>Die ersten Token, die keine Verdichtung anrührt, weil Antworten ohne sie schlechter werden (Attention-Senken, arXiv 2309.17453). Ein neuer Cache aus rotierten Codes behält ebenso viele Token in 16 Bit.</translation>
    </message>
    <message>
        <source>Compaction floor</source>
        <translation>Untergrenze der Verdichtung</translation>
    </message>
    <message>
        <source>Conversations with fewer tokens are not compacted, because there is little to gain and answers suffer; 0 compacts any conversation. The cache limit ignores this setting.</source>
        <translation>Gespräche mit weniger Token werden nicht verdichtet, weil wenig zu gewinnen ist und Antworten leiden; 0 verdichtet jedes Gespräch. Die Cache-Grenze beachtet diese Einstellung nicht.</translation>
    </message>
    <message>
        <source>Loss limit</source>
        <translation>Verlustgrenze</translation>
    </message>
    <message>
        <source>The most that a compaction may lose: balanced and strict aim to keep 98 % and 99.5 % of the answers, a number is the share of the text&apos;s information to keep (0 to 1), off sets no limit. The loss is measured before compacting, once the answer has ended, and a ratio that loses more is lowered; the cache limit ignores this setting.</source>
        <translation>Was eine Verdichtung höchstens verlieren darf: balanced und strict sollen 98 % und 99,5 % der Antworten erhalten, eine Zahl ist der zu erhaltende Anteil der Information des Textes (0 bis 1), off setzt keine Grenze. Der Verlust wird vor dem Verdichten nach dem Ende der Antwort gemessen, und ein Verhältnis, das mehr verliert, wird gesenkt; die Cache-Grenze beachtet diese Einstellung nicht.</translation>
    </message>
    <message>
        <source>Slots above the target before a compaction starts; off means an eighth of the target, between 16 and 256. A larger margin compacts less often and uses more memory.</source>
        <translation>Slots über dem Ziel, bevor eine Verdichtung beginnt; aus heißt ein Achtel des Ziels, zwischen 16 und 256. Ein größerer Spielraum verdichtet seltener und braucht mehr Speicher.</translation>
    </message>
    <message>
        <source>Norm policy</source>
        <translation>Norm-Regel</translation>
    </message>
    <message>
        <source>Which keys an l2 eviction keeps: low norms, high norms, keys least like the others (keydiff), keys that queries attend to (observation_window, accumulated_attention, reconstruct, expected_attention, tri_attention), or the controls recent_only and random. auto is reconstruct if its scores are available, otherwise the policy with the best recall for the model family (arXiv 2406.11430; KeyDiff, arXiv 2504.15364; SnapKV, arXiv 2404.14469; H2O, arXiv 2306.14048; KVzip, arXiv 2505.23416; Expected Attention, arXiv 2510.00636; TriAttention, arXiv 2604.04921).</source>
        <translation>Welche Schlüssel eine l2-Verdrängung behält: kleine Normen, große Normen, die den anderen unähnlichsten (keydiff), die von Abfragen beachteten (observation_window, accumulated_attention, reconstruct, expected_attention, tri_attention) oder die Vergleiche recent_only und random. auto ist reconstruct, wenn dessen Wertungen vorliegen, sonst die Regel mit dem besten Recall für die Modellfamilie (arXiv 2406.11430; KeyDiff, arXiv 2504.15364; SnapKV, arXiv 2404.14469; H2O, arXiv 2306.14048; KVzip, arXiv 2505.23416; Expected Attention, arXiv 2510.00636; TriAttention, arXiv 2604.04921).</translation>
    </message>
    <message>
        <source>Head coherence</source>
        <translation>Kohärenz der Köpfe</translation>
    </message>
    <message>
        <source>Eviction budgets</source>
        <translation>Verdrängungsbudgets</translation>
    </message>
    <message>
        <source>How an l2 eviction divides its slots among heads: equal, adaptive (by score within a layer, at least a fifth each; Ada-KV, arXiv 2407.11550) or whole_model (by score across all layers, only for attention scores). adaptive and whole_model lose less and need coherence=per_head; auto is whole_model for reconstruct, otherwise equal.</source>
        <translation>Wie eine l2-Verdrängung ihre Slots auf Köpfe verteilt: equal, adaptive (nach Wertung innerhalb einer Schicht, mindestens ein Fünftel für jeden; Ada-KV, arXiv 2407.11550) oder whole_model (nach Wertung über alle Schichten, nur bei Attention-Wertungen). adaptive und whole_model verlieren weniger und brauchen coherence=per_head; auto ist whole_model bei reconstruct, sonst equal.</translation>
    </message>
    <message>
        <source>Head budgets</source>
        <translation>Kopfbudgets</translation>
    </message>
    <message>
        <source>How attention matching divides its slots among heads: uniform, entropy (how widely a head attends), coverage (how far its error falls), task_free or questions (measured once per model on random tokens or on questions) or reconstruction (what a repetition of the text attends to). auto is reconstruction if its scores are available, otherwise task_free if measured, otherwise coverage.</source>
        <translation>Wie Attention Matching seine Slots auf Köpfe verteilt: uniform, entropy (wie breit ein Kopf blickt), coverage (wie weit sein Fehler fällt), task_free oder questions (einmal je Modell an zufälligen Token oder an Fragen gemessen) oder reconstruction (was eine Wiederholung des Textes beachtet). auto ist reconstruction, wenn dessen Wertungen vorliegen, sonst task_free, falls gemessen, sonst coverage.</translation>
    </message>
    <message>
        <source>Score source</source>
        <translation>Quelle der Wertungen</translation>
    </message>
    <message>
        <source>Where reconstruction scores come from: surrogate predicts them while the text is read, so nothing waits; repetition is exact and reads the text up to three times. auto is surrogate if one was fitted to the model (automatically while the engine is idle, or by lacuna calibrate-kv --surrogate).</source>
        <translation>Woher Rekonstruktionswertungen kommen: surrogate sagt sie beim Lesen des Textes vorher, und nichts wartet; repetition ist exakt und liest den Text bis zu dreimal. auto ist surrogate, wenn einer an das Modell angepasst wurde (automatisch im Leerlauf oder durch lacuna calibrate-kv --surrogate).</translation>
    </message>
    <message>
        <source>Demote structure</source>
        <translation>Struktur abwerten</translation>
    </message>
    <message>
        <source>on counts punctuation, blanks and markup as a fifth when an l2 eviction chooses by attention, which leaves more slots for words at high ratios. Tokens that join two words or numbers count fully.</source>
        <translation>on zählt Satzzeichen, Leerraum und Auszeichnung nur zu einem Fünftel, wenn eine l2-Verdrängung nach Attention wählt, was bei hohen Verhältnissen mehr Slots für Wörter lässt. Token, die zwei Wörter oder Zahlen verbinden, zählen voll.</translation>
    </message>
    <message>
        <source>Query source</source>
        <translation>Quelle der Abfragen</translation>
    </message>
    <message>
        <source>Queries that an am compaction is fitted to: captured (those seen so far, at no cost), context (the text is read once more), repeat (the text is repeated, more than two readings) or random (a control for measurements). Readings need memory within cache_limit; without it the next cheaper choice is used and reported.</source>
        <translation>Abfragen, an die eine am-Verdichtung angepasst wird: captured (die bisherigen, ohne Kosten), context (der Text wird noch einmal gelesen), repeat (der Text wird wiederholt, mehr als zwei Lesungen) oder random (ein Vergleich für Messungen). Lesungen brauchen Speicher innerhalb von cache_limit; ohne ihn wird die nächstgünstigere Wahl verwendet und gemeldet.</translation>
    </message>
    <message>
        <source>Share of tokens with the rarest keys (names, numbers, codes) that an am compaction keeps exactly, with four neighbours on either side; at most a quarter of what a head keeps. 0 pins nothing.</source>
        <translation>Anteil der Token mit den seltensten Schlüsseln (Namen, Zahlen, Codes), die eine am-Verdichtung genau behält, mit vier Nachbarn auf jeder Seite; höchstens ein Viertel dessen, was ein Kopf behält. 0 heftet nichts an.</translation>
    </message>
    <message>
        <source>Background compaction</source>
        <translation>Verdichten im Hintergrund</translation>
    </message>
    <message>
        <source>on fits an am compaction on low-priority threads while the conversation continues; off pauses the answer meanwhile. A compaction that reads the text again waits for a pause between answers; other l2 compactions are immediate.</source>
        <translation>on passt eine am-Verdichtung in Threads niedriger Priorität an, während das Gespräch weitergeht; off hält die Antwort solange an. Eine Verdichtung, die den Text erneut liest, wartet auf eine Pause zwischen Antworten; andere l2-Verdichtungen geschehen sofort.</translation>
    </message>
    <message>
        <source>Layers that compactions leave uncompressed, for example 0,1. The achieved ratio falls accordingly.</source>
        <translation>Schichten, die Verdichtungen unkomprimiert lassen, zum Beispiel 0,1. Das erreichte Verhältnis sinkt entsprechend.</translation>
    </message>
    <message>
        <source>Prefill policy</source>
        <translation>Prefill-Regel</translation>
    </message>
    <message>
        <source>after_prefill compacts once the prompt is read (best quality); per_chunk compacts between chunks (memory stays bounded).</source>
        <translation>after_prefill verdichtet, wenn der Prompt gelesen ist (beste Qualität); per_chunk verdichtet zwischen Stücken (Speicher bleibt begrenzt).</translation>
    </message>
    <message>
        <source>the heads of %1 have %2 dimensions</source>
        <translation>die Köpfe von %1 haben %2 Dimensionen</translation>
    </message>
    <message>
        <source>keys and values must have the same type unless one of them is coded</source>
        <translation>Schlüssel und Werte müssen denselben Typ haben, sofern nicht eines von beiden codiert ist</translation>
    </message>
    <message>
        <source>no rotations were calibrated on %1; run lacuna calibrate-kv --rotations</source>
        <translation>für %1 wurden keine Rotationen kalibriert; lacuna calibrate-kv --rotations tut es</translation>
    </message>
    <message>
        <source>the error that codes cause in each layer was not measured on %1; run lacuna calibrate-kv --layers</source>
        <translation>der Fehler durch Codes in jeder Schicht von %1 wurde nicht gemessen; lacuna calibrate-kv --layers tut es</translation>
    </message>
    <message>
        <source>the same in every layer</source>
        <translation>in jeder Schicht gleich</translation>
    </message>
    <message>
        <source>hadamard; the calibrated rotations cannot be used: %1</source>
        <translation>hadamard; die kalibrierten Rotationen sind nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>hadamard; no rotations were calibrated on this model</source>
        <translation>hadamard; für dieses Modell wurden keine Rotationen kalibriert</translation>
    </message>
    <message>
        <source>a page of %1 tokens and the index must fit</source>
        <translation>eine Seite von %1 Token und der Index müssen hineinpassen</translation>
    </message>
    <message>
        <source>Number format of keys and values: fewer bits save memory, but too few ruin some models without warning, so measure recall first; rounded-away bits cannot be restored. q8_0 and q4_0 take about half and a third of the bytes of f16, t8 to t1 (rotated codes of 8 to 1 bits, arXiv 2504.19874) take half to a sixteenth.</source>
        <translation>Zahlenformat der Schlüssel und Werte: Weniger Bits sparen Speicher, aber zu wenige verderben manche Modelle ohne Warnung, daher zuerst den Recall messen; Weggerundetes ist nicht wiederherstellbar. q8_0 und q4_0 brauchen etwa die Hälfte und ein Drittel der Bytes von f16, t8 bis t1 (rotierte Codes von 8 bis 1 Bit, arXiv 2504.19874) die Hälfte bis ein Sechzehntel.</translation>
    </message>
    <message>
        <source>Number format of the values, if it differs from that of the keys (Cache type). Values tolerate fewer bits than keys: f16 keys with q8_0, q4_0 or t4 values, or t8 keys with t4 values.</source>
        <translation>Zahlenformat der Werte, falls es von dem der Schlüssel (Cache-Typ) abweicht. Werte vertragen weniger Bits als Schlüssel: f16-Schlüssel mit q8_0-, q4_0- oder t4-Werten oder t8-Schlüssel mit t4-Werten.</translation>
    </message>
    <message>
        <source>Number of newest tokens that a cache of rotated codes (t8 to t1) also keeps in 16 bits, so that nearby text is read exactly; it costs the memory of as many f16 tokens, and 0 keeps codes only. The first tokens (n_sink) are kept in 16 bits too (KIVI, arXiv 2402.02750, keeps 128).</source>
        <translation>Zahl der neuesten Token, die ein Cache aus rotierten Codes (t8 bis t1) zusätzlich in 16 Bit behält, so dass naher Text genau gelesen wird; kostet den Speicher ebenso vieler f16-Token, 0 behält nur Codes. Auch die ersten Token (n_sink) bleiben in 16 Bit (KIVI, arXiv 2402.02750, behält 128).</translation>
    </message>
    <message>
        <source>codes only</source>
        <translation>nur Codes</translation>
    </message>
    <message>
        <source>Rotation applied before coding (t8 to t1): calibrated loses less at few bits, after minutes of measuring once per model (lacuna calibrate-kv --rotations); hadamard is the same for every model. auto is calibrated if the model has it (arXiv 2605.17757).</source>
        <translation>Rotation vor dem Codieren (t8 bis t1): calibrated verliert bei wenigen Bits weniger, nach Minuten des Messens einmal je Modell (lacuna calibrate-kv --rotations); hadamard ist für jedes Modell gleich. auto ist calibrated, wenn das Modell sie hat (arXiv 2605.17757).</translation>
    </message>
    <message>
        <source>neither keys nor values are rotated codes (kv_type, v_type t8 to t1)</source>
        <translation>weder Schlüssel noch Werte sind rotierte Codes (kv_type, v_type t8 bis t1)</translation>
    </message>
    <message>
        <source>Additional bits per number, on average, for a cache of rotated codes (t8 to t1); they go to the layers where they save most of the error. Needs one measurement per model (lacuna calibrate-kv --layers, minutes); 0 gives every layer the same.</source>
        <translation>Zusätzliche Bits je Zahl im Mittel für einen Cache aus rotierten Codes (t8 bis t1); sie gehen an die Schichten, in denen sie den Fehler am meisten senken. Braucht eine Messung je Modell (lacuna calibrate-kv --layers, Minuten); 0 gibt jeder Schicht gleich viele.</translation>
    </message>
    <message>
        <source>Memory that the caches of all conversations may use together; 0 is no limit. At the limit the largest cache is compacted and caches of idle conversations are released; if that is not enough, the answer ends with an error and nothing is lost.</source>
        <translation>Speicher, den die Caches aller Gespräche zusammen belegen dürfen; 0 heißt keine Grenze. An der Grenze wird der größte Cache verdichtet, und Caches ruhender Gespräche werden freigegeben; reicht das nicht, endet die Antwort mit einem Fehler, und nichts geht verloren.</translation>
    </message>
    <message>
        <source>Memory for text already read, so that conversations, branches and requests that share a prefix need not read it again; 0 is off. Rows shared with an open conversation count, but take no second copy.</source>
        <translation>Speicher für bereits gelesenen Text, damit Gespräche, Zweige und Anfragen mit gemeinsamem Präfix ihn nicht erneut lesen müssen; 0 ist aus. Mit einem offenen Gespräch geteilte Zeilen zählen mit, brauchen aber keine zweite Kopie.</translation>
    </message>
    <message>
        <source>Disk space for text already read, kept across restarts and shared by all models, so that a reopened conversation loads it where that is faster than reading it again; 0 is off and removes nothing. Anyone who can read the folder can recover the text; private questions are never stored.</source>
        <translation>Plattenplatz für bereits gelesenen Text, über Neustarts hinweg und für alle Modelle, so dass ein wieder geöffnetes Gespräch ihn lädt, wo das schneller ist als erneutes Lesen; 0 ist aus und entfernt nichts. Wer den Ordner lesen kann, kann den Text wiederherstellen; private Fragen werden nie gespeichert.</translation>
    </message>
    <message>
        <source>Maximum number of tokens in a conversation, prompt and answer together; 0 is the model&apos;s trained context.</source>
        <translation>Höchstzahl der Token eines Gesprächs, Prompt und Antwort zusammen; 0 ist der trainierte Kontext des Modells.</translation>
    </message>
    <message>
        <source>When the context is full, off ends the answer; a number keeps that many first tokens, drops half of the others and shifts the rest, as often as needed. Not together with a method, a window or a coded kv_type.</source>
        <translation>Wenn der Kontext voll ist, beendet aus die Antwort; eine Zahl behält so viele erste Token, verwirft die Hälfte der übrigen und rückt den Rest nach, so oft wie nötig. Nicht zusammen mit einer Methode, einem Fenster oder einem codierten kv_type.</translation>
    </message>
    <message>
        <source>Prompt tokens computed in one step. Settings and cancelling take effect between two steps.</source>
        <translation>Prompt-Token, die in einem Schritt berechnet werden. Einstellungen und Abbrechen wirken zwischen zwei Schritten.</translation>
    </message>
    <message>
        <source>Parallel answers</source>
        <translation>Parallele Antworten</translation>
    </message>
    <message>
        <source>Conversations answered at the same time in one pass over the weights; further questions wait. While a prompt is read, each token of the others waits for one chunk.</source>
        <translation>Gespräche, die gleichzeitig in einem Durchgang durch die Gewichte beantwortet werden; weitere Fragen warten. Während ein Prompt gelesen wird, wartet jedes Token der anderen auf ein Stück.</translation>
    </message>
    <message>
        <source>Weight passes</source>
        <translation>Gewichtsdurchgänge</translation>
    </message>
    <message>
        <source>shared is faster: one pass over the weights serves all answers of a step, but products may round differently. apart makes each answer bit for bit the same as when it is computed alone.</source>
        <translation>shared ist schneller: Ein Durchgang durch die Gewichte dient allen Antworten eines Schritts, aber Produkte können anders runden. apart macht jede Antwort Bit für Bit so, als würde sie allein berechnet.</translation>
    </message>
    <message>
        <source>answers are computed one at a time</source>
        <translation>Antworten werden einzeln berechnet</translation>
    </message>
    <message>
        <source>Tokens guessed from earlier text and checked in one step (prompt lookup): repetitive text comes faster and the answer stays the same; 0 is off. With a budget, ties between keys of equal rank may be broken differently.</source>
        <translation>Aus früherem Text erratene und in einem Schritt geprüfte Token (Prompt Lookup): Sich wiederholender Text kommt schneller, die Antwort bleibt dieselbe; 0 ist aus. Mit einem Budget kann zwischen gleichrangigen Schlüsseln anders entschieden werden.</translation>
    </message>
    <message>
        <source>Quality sample interval</source>
        <translation>Abstand der Qualitätsproben</translation>
    </message>
    <message>
        <source>Tokens between two comparisons of the compacted cache with an uncompressed one during an answer, which take time and its memory. 0 compares a few tokens in the pause after the answer.</source>
        <translation>Token zwischen zwei Vergleichen des verdichteten Cache mit einem unkomprimierten während einer Antwort, die Zeit und dessen Speicher kosten. 0 vergleicht einige Token in der Pause nach der Antwort.</translation>
    </message>
    <message>
        <source>How activations are rounded for quantised weights: fast uses 8 bits, which small models do not always tolerate, int8 in two terms is accurate enough for every model, exact does not round and is many times slower. auto is the fastest whose mean KL from exact is at most 0.0005, measured once per model while idle, and 8 bits in two terms until then.</source>
        <translation>Wie Aktivierungen für quantisierte Gewichte gerundet werden: fast nimmt 8 Bit, was kleine Modelle nicht immer vertragen, 8 Bit in zwei Summanden sind für jedes Modell genau genug, exact rundet nicht und ist um ein Vielfaches langsamer. auto ist das Schnellste mit einem mittleren KL von höchstens 0,0005 gegen exact, einmal je Modell im Leerlauf gemessen, und bis dahin 8 Bit in zwei Summanden.</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>Höchstzahl Token</translation>
    </message>
    <message>
        <source>Maximum number of tokens in an answer; 0 reads the prompt and answers nothing.</source>
        <translation>Höchstzahl der Token einer Antwort; 0 liest den Prompt und antwortet nichts.</translation>
    </message>
    <message>
        <source>the repetition window is 0</source>
        <translation>das Wiederholungsfenster ist 0</translation>
    </message>
    <message>
        <source>Repetition window</source>
        <translation>Wiederholungsfenster</translation>
    </message>
    <message>
        <source>Subtracted from the logit of every token that already occurs in the answer; 0 is off. The prompt does not count.</source>
        <translation>Wird vom Logit jedes Tokens abgezogen, das in der Antwort schon vorkommt; 0 ist aus. Der Prompt zählt nicht.</translation>
    </message>
    <message>
        <source>Subtracted from the logit of a token for each of its occurrences in the answer; 0 is off. The prompt does not count.</source>
        <translation>Wird vom Logit eines Tokens für jedes Vorkommen in der Antwort abgezogen; 0 ist aus. Der Prompt zählt nicht.</translation>
    </message>
    <message>
        <source>%1=%2 is now called %3; the new name is used</source>
        <translation>%1=%2 heißt jetzt %3; der neue Name wird verwendet</translation>
    </message>
    <message>
        <source>%1 leaves %2 of %3 layers of %4 unchanged, because they have their own window</source>
        <translation>%1 lässt %2 von %3 Schichten von %4 unverändert, weil sie ein eigenes Fenster haben</translation>
    </message>
    <message>
        <source>auto is reconstruct: a surrogate predicts its scores</source>
        <translation>auto ist reconstruct: Ein Ersatz sagt die Wertungen vorher</translation>
    </message>
    <message>
        <source>auto is reconstruct, scored by repeating the text in pauses until a surrogate is fitted to the model; during an answer %1 chooses</source>
        <translation>auto ist reconstruct, gewertet durch Wiederholen des Textes in Pausen, bis ein Ersatz an das Modell angepasst ist; während einer Antwort wählt %1</translation>
    </message>
    <message>
        <source>off with %1</source>
        <translation>aus mit %1</translation>
    </message>
    <message>
        <source>weights of %1 MiB and a cache of %2 MiB exceed the memory of %3 MiB</source>
        <translation>Gewichte von %1 MiB und ein Cache von %2 MiB überschreiten den Speicher von %3 MiB</translation>
    </message>
    <message>
        <source>the draft model keeps every token in its own cache, which compactions do not shrink</source>
        <translation>das Entwurfsmodell hält jedes Token in einem eigenen Cache, den Verdichtungen nicht verkleinern</translation>
    </message>
    <message>
        <source>keys can be moved to other positions only if every token is stored uncoded</source>
        <translation>Schlüssel lassen sich nur verschieben, wenn jedes Token uncodiert gespeichert ist</translation>
    </message>
    <message>
        <source>both limit memory by dropping different tokens</source>
        <translation>beide begrenzen den Speicher, indem sie verschiedene Token verwerfen</translation>
    </message>
    <message>
        <source>merged tokens cannot be dropped by age</source>
        <translation>verschmolzene Token können nicht nach Alter verworfen werden</translation>
    </message>
    <message>
        <source>load no draft model or remove the budget</source>
        <translation>laden Sie kein Entwurfsmodell oder entfernen Sie das Budget</translation>
    </message>
    <message>
        <source>load no draft model or set method to none</source>
        <translation>laden Sie kein Entwurfsmodell oder setzen Sie method auf none</translation>
    </message>
    <message>
        <source>layers with a window have already dropped the tokens that would have to move</source>
        <translation>Schichten mit Fenster haben die zu verschiebenden Token schon verworfen</translation>
    </message>
    <message>
        <source>switch the shift off or use a model without sliding layers</source>
        <translation>schalten Sie das Verschieben aus oder verwenden Sie ein Modell ohne Fensterschichten</translation>
    </message>
    <message>
        <source>switch the shift off or use f16, bf16 or f32</source>
        <translation>schalten Sie das Verschieben aus oder verwenden Sie f16, bf16 oder f32</translation>
    </message>
    <message>
        <source>a window needs at least 2 tokens and more than n_sink</source>
        <translation>ein Fenster braucht mindestens 2 Token und mehr als n_sink</translation>
    </message>
    <message>
        <source>auto is keydiff: %1 models normalise their keys (QK-norm), so key norms carry no information</source>
        <translation>auto ist keydiff: %1-Modelle normieren ihre Schlüssel (QK-Norm), deshalb sagen Schlüsselnormen nichts aus</translation>
    </message>
    <message>
        <source>auto is keydiff: recall was not measured with any %1 model</source>
        <translation>auto ist keydiff: Mit keinem %1-Modell wurde Recall gemessen</translation>
    </message>
    <message>
        <source>no forward pass is possible now</source>
        <translation>jetzt ist kein Vorwärtsdurchlauf möglich</translation>
    </message>
    <message>
        <source>it gave queries of %1 tokens, at least %2 are needed</source>
        <translation>sie ergab Abfragen von %1 Token, mindestens %2 sind nötig</translation>
    </message>
    <message>
        <source>the cache cannot remove rejected draft tokens (%1); set draft_tokens to 0</source>
        <translation>der Cache kann abgelehnte Entwurfstoken nicht entfernen (%1); setzen Sie draft_tokens auf 0</translation>
    </message>
    <message>
        <source>tokens %1 to %2 are not part of this conversation, whose cache covers %3</source>
        <translation>Token %1 bis %2 gehören nicht zu diesem Gespräch, dessen Cache %3 umfasst</translation>
    </message>
    <message>
        <source>older tokens of this conversation were dropped to make room in the context, so its text cannot be read again</source>
        <translation>ältere Token dieses Gesprächs wurden verworfen, um im Kontext Platz zu schaffen; sein Text kann deshalb nicht noch einmal gelesen werden</translation>
    </message>
    <message>
        <source>message %1 cannot be pinned; the conversation has %2</source>
        <translation>Nachricht %1 lässt sich nicht anheften; das Gespräch hat %2</translation>
    </message>
    <message>
        <source>bytes %1 to %2 of message %3 cannot be pinned; it has %4</source>
        <translation>die Bytes %1 bis %2 der Nachricht %3 lassen sich nicht anheften; sie hat %4</translation>
    </message>
    <message>
        <source>words cannot be pinned with this model: its tokenizer changes the text, so token %1 cannot be found in it</source>
        <translation>mit diesem Modell lassen sich keine Wörter anheften: Sein Tokenizer verändert den Text, so dass Token %1 darin nicht zu finden ist</translation>
    </message>
    <message>
        <source>the prompt and the cache share no prefix</source>
        <translation>Prompt und Cache haben keinen gemeinsamen Anfang</translation>
    </message>
    <message>
        <source>window exceeded</source>
        <translation>Fenster überschritten</translation>
    </message>
    <message>
        <source>%1: the cache can go back %2 tokens but %3 are needed (%4), so the prompt is read again</source>
        <translation>%1: Der Cache kann nur um %2 Token zurück, nötig sind %3 (%4), also wird der Prompt noch einmal gelesen</translation>
    </message>
    <message>
        <source>a page of this text on disk is not used: %1</source>
        <translation>eine Seite dieses Textes auf der Platte wird nicht benutzt: %1</translation>
    </message>
    <message>
        <source>%1 more tokens are on disk, but reading them would take about %2 ms and computing them %3</source>
        <translation>%1 weitere Token liegen auf der Platte, aber sie zu lesen würde etwa %2 ms dauern, sie zu rechnen %3</translation>
    </message>
    <message>
        <source>pages of this text on disk are damaged or missing</source>
        <translation>Seiten dieses Textes auf der Platte sind beschädigt oder fehlen</translation>
    </message>
    <message>
        <source>%1 tokens were read from disk, where %2 stores rounded rows: close to the computed ones, but not identical (lacuna tier codec)</source>
        <translation>%1 Token wurden von der Platte gelesen, auf der %2 gerundete Zeilen speichert: nahe an den berechneten, aber nicht gleich (lacuna tier codec)</translation>
    </message>
    <message>
        <source>a prefix entry shares %1 tokens, fewer than the %2 that are worth reusing</source>
        <translation>ein Präfix-Eintrag hat %1 Token gemeinsam, weniger als die %2, die sich lohnen</translation>
    </message>
    <message>
        <source>a prefix entry shares %1 tokens but cannot be cut below %2: %3</source>
        <translation>ein Präfix-Eintrag hat %1 Token gemeinsam, lässt sich aber nicht unter %2 kürzen: %3</translation>
    </message>
    <message>
        <source>The stored precision measurement of %1 cannot be used: %2.</source>
        <translation>Die gespeicherte Genauigkeitsmessung von %1 ist nicht verwendbar: %2.</translation>
    </message>
    <message>
        <source>auto is int8 in two terms, accurate enough for every model, until it is measured</source>
        <translation>auto ist int8 in zwei Summanden, genau genug für jedes Modell, bis gemessen ist</translation>
    </message>
    <message>
        <source>The cache of an idle conversation was released: %1.</source>
        <translation>Der Cache eines ruhenden Gesprächs wurde freigegeben: %1.</translation>
    </message>
    <message>
        <source>choose a compaction method, raise cache_limit or start a new conversation</source>
        <translation>wählen Sie eine Verdichtungsmethode, erhöhen Sie cache_limit oder beginnen Sie ein neues Gespräch</translation>
    </message>
    <message>
        <source>compaction keeps at least %1 slots per head: raise cache_limit, lower keep_recent or start a new conversation</source>
        <translation>Verdichtung behält mindestens %1 Slots je Kopf: Erhöhen Sie cache_limit, senken Sie keep_recent oder beginnen Sie ein neues Gespräch</translation>
    </message>
    <message>
        <source>Every token in 16 bits: the reference for the others.</source>
        <translation>Jedes Token in 16 Bit: die Referenz für die anderen.</translation>
    </message>
    <message>
        <source>Half of the memory or less at almost no loss: keys in 8 bits, values in 4. Values in 8 bits if 4 did not pass the measurement.</source>
        <translation>Höchstens der halbe Speicher bei fast keinem Verlust: Schlüssel in 8 Bit, Werte in 4. Werte in 8 Bit, wenn 4 die Messung nicht bestanden.</translation>
    </message>
    <message>
        <source>Keys in 5 bits if they pass the measurement, otherwise 6, and values in 4. If extra bits were measured and pass: 4.25 bits on average.</source>
        <translation>Schlüssel in 5 Bit, wenn sie die Messung bestehen, sonst 6, und Werte in 4. Wenn zusätzliche Bits gemessen sind und bestehen: im Mittel 4,25 Bit.</translation>
    </message>
    <message>
        <source>Safe, or 4.25 bits where Balanced uses them; once half of the context is full, the least needed tokens are evicted.</source>
        <translation>Wie „Sicher“, oder 4,25 Bit, wo „Ausgewogen“ sie verwendet; ist der Kontext halb voll, werden die am wenigsten gebrauchten Token verdrängt.</translation>
    </message>
    <message>
        <source>Safe, and 4x smaller by attention matching; takes work in the background.</source>
        <translation>Wie „Sicher“ und 4x kleiner durch Attention Matching; braucht Arbeit im Hintergrund.</translation>
    </message>
    <message>
        <source>the cache was released</source>
        <translation>der Cache wurde freigegeben</translation>
    </message>
    <message>
        <source>both caches together need %1, but cache_limit leaves %2</source>
        <translation>beide Caches zusammen brauchen %1, aber cache_limit lässt %2</translation>
    </message>
    <message>
        <source>The cache of conversation %1 changes from %2 to %3: rounded-away bits cannot be restored, so only new tokens gain precision.</source>
        <translation>Der Cache von Gespräch %1 wechselt von %2 zu %3: Weggerundetes ist nicht wiederherstellbar, daher werden nur neue Token genauer.</translation>
    </message>
    <message>
        <source>The cache of conversation %1 stays in %2: converting it to %3 was cancelled at %4 % of its rows, and nothing has changed.</source>
        <translation>Der Cache von Gespräch %1 bleibt in %2: Die Umwandlung in %3 wurde bei %4 % der Zeilen abgebrochen, und nichts hat sich geändert.</translation>
    </message>
    <message>
        <source>it was cancelled and nothing has changed</source>
        <translation>sie wurde abgebrochen, und nichts hat sich geändert</translation>
    </message>
    <message>
        <source>this cache was replaced by another one</source>
        <translation>dieser Cache wurde durch einen anderen ersetzt</translation>
    </message>
    <message>
        <source>The cache of conversation %1 is now in %2: %3 instead of %4. It was converted in %5 slices of at most %6 ms.</source>
        <translation>Der Cache von Gespräch %1 ist jetzt in %2: %3 statt %4. Er wurde in %5 Abschnitten von höchstens %6 ms umgewandelt.</translation>
    </message>
    <message>
        <source>The cache of conversation %1 keeps its number format until its next question, which reads the text again: %2</source>
        <translation>Der Cache von Gespräch %1 behält sein Zahlenformat bis zur nächsten Frage, die den Text erneut liest: %2</translation>
    </message>
    <message>
        <source>The conversion of the cache of conversation %1 had already finished and could not be cancelled.</source>
        <translation>Die Umwandlung des Cache von Gespräch %1 war schon fertig und konnte nicht abgebrochen werden.</translation>
    </message>
    <message>
        <source>The request was not carried out, because there is not enough memory.</source>
        <translation>Die Anforderung wurde nicht ausgeführt, weil der Speicher nicht reicht.</translation>
    </message>
    <message>
        <source>an unknown exception was thrown.</source>
        <translation>eine unbekannte Ausnahme wurde geworfen.</translation>
    </message>
    <message>
        <source>its cache needs %1 MiB, but cache_limit leaves %2</source>
        <translation>ihr Cache braucht %1 MiB, aber cache_limit lässt %2</translation>
    </message>
    <message>
        <source>The measurement of the model&apos;s heads could not be saved: %1. It is used until the program ends.</source>
        <translation>Die Messung der Köpfe des Modells konnte nicht gespeichert werden: %1. Sie gilt, bis das Programm endet.</translation>
    </message>
    <message>
        <source>for %1 parallel answers</source>
        <translation>für %1 parallele Antworten</translation>
    </message>
    <message>
        <source>with the uncompressed cache of live quality</source>
        <translation>mit dem unkomprimierten Cache der laufenden Qualitätsmessung</translation>
    </message>
    <message>
        <source>The memory of this machine is unknown.</source>
        <translation>Der Speicher dieses Rechners ist unbekannt.</translation>
    </message>
    <message>
        <source>The weights need %1 MiB, but %2 MiB are free: use a smaller file of this model or close other programs.</source>
        <translation>Die Gewichte brauchen %1 MiB, aber %2 MiB sind frei: Verwenden Sie eine kleinere Datei dieses Modells oder schließen Sie andere Programme.</translation>
    </message>
    <message>
        <source>An F16 cache has room for %1 of the %2 tokens of the trained context%3; set a token budget, a smaller context or fewer parallel answers.</source>
        <translation>Ein F16-Cache hat Platz für %1 der %2 Token des trainierten Kontexts%3; setzen Sie ein Token-Budget, einen kleineren Kontext oder weniger parallele Antworten.</translation>
    </message>
    <message>
        <source>the settings do not fit %1</source>
        <translation>die Einstellungen passen nicht zu %1</translation>
    </message>
    <message>
        <source>%1, %2 per token, inner width %3</source>
        <translation>%1, %2 je Token, innere Breite %3</translation>
    </message>
    <message>
        <source>compacted in the background (%1 % extra each)</source>
        <translation>im Hintergrund verdichtet (je %1 % zusätzlich)</translation>
    </message>
    <message>
        <source>the uncompressed cache of live quality</source>
        <translation>der unkomprimierte Cache der laufenden Qualitätsmessung</translation>
    </message>
    <message>
        <source>at most %1 of caches</source>
        <translation>höchstens %1 Caches</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Caches</translation>
    </message>
    <message>
        <source>the newest %1 tokens are read to see what their queries attend to</source>
        <translation>die neuesten %1 Token werden gelesen, um zu sehen, was ihre Abfragen beachten</translation>
    </message>
    <message>
        <source>private conversations are not stored</source>
        <translation>private Gespräche werden nicht gespeichert</translation>
    </message>
    <message>
        <source>no uncompressed prefix of this text is stored</source>
        <translation>kein unkomprimiertes Präfix dieses Textes ist gespeichert</translation>
    </message>
    <message>
        <source>no folder is set for the disk cache</source>
        <translation>für den Platten-Cache ist kein Ordner festgelegt</translation>
    </message>
    <message>
        <source>The precision of rows on disk is unchanged: %1.</source>
        <translation>Die Genauigkeit der Zeilen auf der Platte ist unverändert: %1.</translation>
    </message>
    <message>
        <source>The disk cache is not used at the moment: %1.</source>
        <translation>Der Platten-Cache wird derzeit nicht verwendet: %1.</translation>
    </message>
    <message>
        <source>another comparison was started</source>
        <translation>ein anderer Vergleich wurde begonnen</translation>
    </message>
    <message>
        <source>both sides use the current precision; change it for the whole program instead</source>
        <translation>beide Seiten verwenden die aktuelle Genauigkeit; ändern Sie sie stattdessen für das ganze Programm</translation>
    </message>
    <message>
        <source>the number of threads changed, so the two sides could not be compared; compare again</source>
        <translation>die Zahl der Threads hat sich geändert, daher konnten die beiden Seiten nicht verglichen werden; vergleichen Sie erneut</translation>
    </message>
    <message>
        <source>another sweep was started</source>
        <translation>eine andere Messreihe wurde begonnen</translation>
    </message>
    <message>
        <source>older tokens of this conversation were dropped to make room in the context</source>
        <translation>ältere Token dieses Gesprächs wurden verworfen, um Platz im Kontext zu schaffen</translation>
    </message>
    <message>
        <source>compactions with these settings read the full text again, which takes too long between a question and its answer</source>
        <translation>Verdichtungen mit diesen Einstellungen lesen den vollen Text erneut, was zwischen Frage und Antwort zu lange dauert</translation>
    </message>
    <message>
        <source>it would read %1 tokens again, in about %2 s; the limit between a question and its answer is %3 tokens and %4 s</source>
        <translation>es würde %1 Token erneut lesen, in etwa %2 s; die Grenze zwischen Frage und Antwort ist %3 Token und %4 s</translation>
    </message>
    <message>
        <source>another calibration was started</source>
        <translation>eine andere Kalibrierung wurde begonnen</translation>
    </message>
    <message>
        <source>the cache of one passage needs %1 MiB, but cache_limit leaves %2</source>
        <translation>der Cache einer Passage braucht %1 MiB, aber cache_limit lässt %2</translation>
    </message>
    <message>
        <source>this conversation has no cache to estimate from</source>
        <translation>dieses Gespräch hat keinen Cache, aus dem geschätzt werden kann</translation>
    </message>
    <message>
        <source>the text must be read first</source>
        <translation>der Text muss zuerst gelesen werden</translation>
    </message>
    <message>
        <source>the text is no longer in the cache</source>
        <translation>der Text ist nicht mehr im Cache</translation>
    </message>
    <message>
        <source>conversation %1, which has its own cache settings</source>
        <translation>Gespräch %1, das eigene Cache-Einstellungen hat</translation>
    </message>
    <message>
        <source>It does not fit %1: %2</source>
        <translation>Das passt nicht zu %1: %2</translation>
    </message>
    <message>
        <source>The cache settings of %1 do not fit this model and were discarded: %2</source>
        <translation>Die Cache-Einstellungen von %1 passen nicht zu diesem Modell und wurden verworfen: %2</translation>
    </message>
    <message>
        <source>an answer of this conversation is being written; wait until it ends</source>
        <translation>eine Antwort dieses Gesprächs wird geschrieben; warten Sie, bis sie endet</translation>
    </message>
    <message>
        <source>the cache of this conversation does not use the current settings yet; try again after its next answer</source>
        <translation>der Cache dieses Gesprächs verwendet die aktuellen Einstellungen noch nicht; versuchen Sie es nach der nächsten Antwort erneut</translation>
    </message>
    <message>
        <source>this conversation is being compacted in the background; try again when that has ended</source>
        <translation>dieses Gespräch wird im Hintergrund verdichtet; versuchen Sie es danach erneut</translation>
    </message>
    <message>
        <source>%1; these tokens can only be restored by reading the text again</source>
        <translation>%1; diese Token sind nur durch erneutes Lesen des Textes wiederherstellbar</translation>
    </message>
    <message>
        <source>The context of %1 tokens was full: %2 older tokens were dropped.</source>
        <translation>Der Kontext von %1 Token war voll: %2 ältere Token wurden verworfen.</translation>
    </message>
    <message>
        <source>the prompt contains token %1, but the vocabulary has tokens 0 to %2</source>
        <translation>der Prompt enthält Token %1, aber das Vokabular hat Token 0 bis %2</translation>
    </message>
    <message>
        <source>The answer was stopped because the model was replaced.</source>
        <translation>Die Antwort wurde angehalten, weil das Modell ersetzt wurde.</translation>
    </message>
    <message>
        <source>there is not enough memory to start this answer</source>
        <translation>der Speicher reicht nicht, um diese Antwort zu beginnen</translation>
    </message>
    <message>
        <source>its prefix entry is being loaded</source>
        <translation>sein Präfix-Eintrag wird geladen</translation>
    </message>
    <message>
        <source>the cache type or window was changed, so the prompt is read again</source>
        <translation>Cache-Typ oder Fenster wurde geändert, daher wird der Prompt erneut gelesen</translation>
    </message>
    <message>
        <source>the cache of this conversation was released to make room for others</source>
        <translation>der Cache dieses Gesprächs wurde freigegeben, um Platz für andere zu schaffen</translation>
    </message>
    <message>
        <source>%1 is not a regular file and is not replaced</source>
        <translation>%1 ist keine gewöhnliche Datei und wird nicht ersetzt</translation>
    </message>
    <message>
        <source>%1: the folder cannot be created: %2</source>
        <translation>%1: Der Ordner lässt sich nicht anlegen: %2</translation>
    </message>
    <message>
        <source>%1 would replace its own source (%2); choose another file</source>
        <translation>%1 würde die eigene Quelle ersetzen (%2); wählen Sie eine andere Datei</translation>
    </message>
    <message>
        <source>no measurement fits into the context of %1 tokens</source>
        <translation>keine Messung passt in den Kontext von %1 Token</translation>
    </message>
    <message>
        <source>%1 windows of running text, %2 tokens measured after %3</source>
        <translation>%1 Fenster laufenden Textes, %2 Token nach je %3 gemessen</translation>
    </message>
    <message>
        <source>speed of %1 tokens after %2, median of %3 rounds alternating with the full cache</source>
        <translation>Tempo von %1 Token nach %2, Median aus %3 Runden im Wechsel mit dem vollständigen Cache</translation>
    </message>
    <message>
        <source>%1 texts exceed the model&apos;s context</source>
        <translation>%1 Texte sind länger als der Kontext des Modells</translation>
    </message>
    <message>
        <source>method is none and the cache is not compressed</source>
        <translation>die Methode ist „Keine“ und der Cache ist nicht komprimiert</translation>
    </message>
    <message>
        <source>the AM ratio is 1, there is no budget and the cache is not compressed</source>
        <translation>das AM-Verhältnis ist 1, es gibt kein Budget und der Cache ist nicht komprimiert</translation>
    </message>
    <message>
        <source>Attention chunk</source>
        <translation>Attention-Abschnitt</translation>
    </message>
    <message>
        <source>Attention sinks</source>
        <translation>Attention-Senken</translation>
    </message>
    <message>
        <source>the layers of %1 differ in KV heads or head size, but calibrated rotations need one size</source>
        <translation>die Schichten von %1 unterscheiden sich in KV-Köpfen oder Kopfgröße, kalibrierte Rotationen brauchen aber eine Größe</translation>
    </message>
    <message>
        <source>hadamard; the layers of this model differ in KV heads or head size</source>
        <translation>hadamard; die Schichten dieses Modells unterscheiden sich in KV-Köpfen oder Kopfgröße</translation>
    </message>
    <message>
        <source>no layer of %1 stores keys and values</source>
        <translation>keine Schicht von %1 speichert Schlüssel und Werte</translation>
    </message>
    <message>
        <source>recurrent states</source>
        <translation>rekurrente Zustände</translation>
    </message>
    <message>
        <source>%1 restored or pinned tokens no longer fit and may be evicted</source>
        <translation>%1 wiederhergestellte oder angeheftete Token passen nicht mehr und können verdrängt werden</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the loss is measured first, after this answer</source>
        <translation>fällig: %1 Slots je Kopf; der Verlust wird zuerst gemessen, nach dieser Antwort</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the loss is measured first, after the next answer</source>
        <translation>fällig: %1 Slots je Kopf; der Verlust wird zuerst gemessen, nach der nächsten Antwort</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the text is read again first, after this answer</source>
        <translation>fällig: %1 Slots je Kopf; der Text wird zuerst erneut gelesen, nach dieser Antwort</translation>
    </message>
    <message>
        <source>due: %1 slots per head; the text is read again first, after the next answer</source>
        <translation>fällig: %1 Slots je Kopf; der Text wird zuerst erneut gelesen, nach der nächsten Antwort</translation>
    </message>
    <message>
        <source>Slot budget</source>
        <translation>Slot-Budget</translation>
    </message>
    <message>
        <source>at_budget compacts as soon as the budget or ratio is exceeded by the margin; turn_late compacts, at the end of each answer, the text before its question, fitted to the queries of that turn; it may exceed the budget by one turn (delayed compaction, arXiv 2608.00902). cache_limit and manual compaction always act at once.</source>
        <translation>at_budget verdichtet, sobald Budget oder Verhältnis um den Spielraum überschritten sind; turn_late verdichtet am Ende jeder Antwort den Text vor ihrer Frage, angepasst an die Abfragen dieser Runde; es kann das Budget um eine Runde überschreiten (verzögerte Verdichtung, arXiv 2608.00902). cache_limit und manuelles Verdichten wirken immer sofort.</translation>
    </message>
    <message>
        <source>Restore evicted tokens</source>
        <translation>Verdrängte Token wiederherstellen</translation>
    </message>
    <message>
        <source>Finds evicted tokens that a question needs, by reading it with the full text if that is still stored (prefix_cache, prefix_disk); ask names them, auto restores them within what compactions may keep. Costs a second reading of the question and of the answer before it, and a compaction if tokens are restored.</source>
        <translation>Findet verdrängte Token, die eine Frage braucht, indem sie auch über dem vollen Text gelesen wird, sofern er noch gespeichert ist (prefix_cache, prefix_disk); ask nennt sie, auto stellt sie wieder her, soweit Verdichtungen sie behalten dürfen. Kostet ein zweites Lesen der Frage und der Antwort davor und eine Verdichtung, wenn Token wiederhergestellt werden.</translation>
    </message>
    <message>
        <source>one checkpoint of %1 takes %2 MiB</source>
        <translation>ein Sicherungspunkt von %1 braucht %2 MiB</translation>
    </message>
    <message>
        <source>%1 checkpoints of %2 MiB</source>
        <translation>%1 Sicherungspunkte zu %2 MiB</translation>
    </message>
    <message>
        <source>KV type</source>
        <translation>KV-Typ</translation>
    </message>
    <message>
        <source>Every layer keeps only the first tokens (n_sink) and the newest, this many in all: memory stops growing, and everything in between is dropped permanently (arXiv 2309.17453). Not together with a method or a budget.</source>
        <translation>Jede Schicht behält nur die ersten Token (n_sink) und die neuesten, insgesamt so viele: Der Speicher wächst nicht mehr, und alles dazwischen wird endgültig verworfen (arXiv 2309.17453). Nicht zusammen mit einer Methode oder einem Budget.</translation>
    </message>
    <message>
        <source>State checkpoints</source>
        <translation>Sicherungspunkte der Zustände</translation>
    </message>
    <message>
        <source>Memory of a conversation for states of recurrent layers, kept where messages begin and where texts part, so that an edit, another answer or another branch reads only the tokens after the nearest one; 0 keeps none. At the limit the least useful one is evicted.</source>
        <translation>Speicher eines Gesprächs für Zustände rekurrenter Schichten am Beginn von Nachrichten und wo Texte sich trennen, sodass eine Änderung, eine andere Antwort oder ein anderer Zweig nur die Token nach dem nächsten liest; 0 behält keine. An der Grenze wird der am wenigsten nützliche verdrängt.</translation>
    </message>
    <message>
        <source>the model has no recurrent layers</source>
        <translation>das Modell hat keine rekurrenten Schichten</translation>
    </message>
    <message>
        <source>Checkpoint type</source>
        <translation>Typ der Sicherungspunkte</translation>
    </message>
    <message>
        <source>state_memory is 0</source>
        <translation>state_memory ist 0</translation>
    </message>
    <message>
        <source>precision is exact, which keeps f32</source>
        <translation>precision ist exact, das behält f32</translation>
    </message>
    <message>
        <source>Draft source</source>
        <translation>Quelle der Entwürfe</translation>
    </message>
    <message>
        <source>Where draft_tokens come from without a draft model: lookup repeats earlier text, mtp asks the block for multi-token prediction that some model files contain. The answer stays the same; mtp takes memory for the block&apos;s own small cache.</source>
        <translation>Woher draft_tokens ohne Entwurfsmodell kommen: lookup wiederholt früheren Text, mtp fragt den Block zur Vorhersage mehrerer Token, den manche Modelldateien enthalten. Die Antwort bleibt gleich; mtp braucht Speicher für den kleinen Cache des Blocks.</translation>
    </message>
    <message>
        <source>draft_tokens is 0</source>
        <translation>draft_tokens ist 0</translation>
    </message>
    <message>
        <source>a draft model is loaded</source>
        <translation>ein Entwurfsmodell ist geladen</translation>
    </message>
    <message>
        <source>the model has no block for multi-token prediction, so earlier text is looked up</source>
        <translation>das Modell hat keinen Block zur Vorhersage mehrerer Token, daher wird in früherem Text gesucht</translation>
    </message>
    <message>
        <source>a cache with a window drops tokens by age only</source>
        <translation>ein Cache mit Fenster verwirft Token nur nach Alter</translation>
    </message>
    <message>
        <source>%1 tokens are restored or pinned, but compactions with these settings can keep only %2 unchanged; choose fewer or compact less</source>
        <translation>%1 Token sind wiederhergestellt oder angeheftet, aber Verdichtungen mit diesen Einstellungen können nur %2 unverändert behalten; wählen Sie weniger oder verdichten Sie weniger</translation>
    </message>
    <message>
        <source>no tokens were named to restore</source>
        <translation>es wurden keine Token zum Wiederherstellen genannt</translation>
    </message>
    <message>
        <source>with %1 MiB of checkpoints each</source>
        <translation>mit je %1 MiB Sicherungspunkten</translation>
    </message>
    <message>
        <source>states %1</source>
        <translation>Zustände %1</translation>
    </message>
    <message>
        <source>Drafting ended: %1</source>
        <translation>Entwürfe beendet: %1</translation>
    </message>
    <message>
        <source>the pinned words were changed</source>
        <translation>die angehefteten Wörter wurden geändert</translation>
    </message>
    <message>
        <source>the number of compute threads was changed</source>
        <translation>die Anzahl der Rechen-Threads wurde geändert</translation>
    </message>
    <message>
        <source>it was cancelled at this point</source>
        <translation>sie wurde an dieser Stelle abgebrochen</translation>
    </message>
    <message>
        <source>judged by its captured queries</source>
        <translation>nach seinen aufgezeichneten Abfragen beurteilt</translation>
    </message>
    <message>
        <source>Whether each head chooses alone what to evict (per_head, loses least), or the heads of a layer or of all layers choose together.</source>
        <translation>Ob jeder Kopf allein wählt, was verdrängt wird (per_head, verliert am wenigsten), oder die Köpfe einer Schicht oder aller Schichten gemeinsam.</translation>
    </message>
    <message>
        <source>the latent part of a row of %1 has %2 numbers</source>
        <translation>der latente Teil einer Zeile von %1 hat %2 Zahlen</translation>
    </message>
    <message>
        <source>%1, and rotated codes need a multiple of %2 from %3 to %4</source>
        <translation>%1, und rotierte Codes brauchen ein Vielfaches von %2 zwischen %3 und %4</translation>
    </message>
    <message>
        <source>the values of %1 are parts of its keys (latent attention) and have their format</source>
        <translation>die Werte von %1 sind Teile seiner Schlüssel (latente Aufmerksamkeit) und haben deren Format</translation>
    </message>
    <message>
        <source>the values of %1 are parts of its keys (latent attention), but calibrated rotations need both apart</source>
        <translation>die Werte von %1 sind Teile seiner Schlüssel (latente Aufmerksamkeit), kalibrierte Rotationen brauchen aber beide getrennt</translation>
    </message>
    <message>
        <source>hadamard; the values of this model are parts of its keys (latent attention)</source>
        <translation>Hadamard; die Werte dieses Modells sind Teile seiner Schlüssel (latente Aufmerksamkeit)</translation>
    </message>
    <message>
        <source>auto saves memory: layers that see only a window of the text keep only that window (gemma, mistral). uniform keeps every token in all layers, so a conversation can be rolled back to any point without reading it again.</source>
        <translation>auto spart Speicher: Schichten, die nur ein Fenster des Textes sehen, behalten nur dieses Fenster (gemma, mistral). uniform behält jedes Token in allen Schichten, sodass ein Gespräch ohne erneutes Lesen an jede Stelle zurückgesetzt werden kann.</translation>
    </message>
    <message>
        <source>int8 keeps almost four times as many checkpoints of recurrent states, but returning to one rounds the state to 8 bits; with f32 the text continues with the same bits. The newest tokens can always be rolled back without rounding.</source>
        <translation>int8 behält fast viermal so viele Sicherungspunkte rekurrenter Zustände, aber die Rückkehr zu einem rundet den Zustand auf 8 Bit; mit f32 geht der Text mit denselben Bits weiter. Die neuesten Token lassen sich immer ohne Rundung zurücksetzen.</translation>
    </message>
    <message>
        <source>the full cache would temporarily take %1 MiB, but only %2 MiB are left below cache_limit</source>
        <translation>der volle Cache würde vorübergehend %1 MiB belegen, unter cache_limit sind aber nur noch %2 MiB frei</translation>
    </message>
    <message>
        <source>The system provided only %1 of %2 compute threads; answers are slower.</source>
        <translation>Das System hat nur %1 von %2 Rechen-Threads bereitgestellt; Antworten sind langsamer.</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>Einbettungen</translation>
    </message>
    <message>
        <source>%1, read by row from the file</source>
        <translation>%1, zeilenweise aus der Datei gelesen</translation>
    </message>
</context>
<context>
    <name>EngineReplies</name>
    <message>
        <source>the list of models is not JSON.</source>
        <translation>die Liste der Modelle ist kein JSON.</translation>
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
        <source>Wake up</source>
        <translation>Wecken</translation>
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
        <source>Cache in use</source>
        <translation>Cache in Gebrauch</translation>
    </message>
    <message>
        <source>Tokens in the cache</source>
        <translation>Token im Cache</translation>
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
        <source>Answer tokens</source>
        <translation>Token der Antworten</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>Token der Prompts</translation>
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
        <source>Requests answered</source>
        <translation>Beantwortete Anfragen</translation>
    </message>
    <message>
        <source>Drafted tokens</source>
        <translation>Entworfene Token</translation>
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
        <source>Time in the queue</source>
        <translation>Zeit in der Warteschlange</translation>
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
        <source>LMCache: tokens stored</source>
        <translation>LMCache: gespeicherte Token</translation>
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
    <message>
        <source>it contains no list of models.</source>
        <translation>sie enthält keine Liste von Modellen.</translation>
    </message>
    <message>
        <source>the slots are not a list.</source>
        <translation>die Slots sind keine Liste.</translation>
    </message>
    <message>
        <source>Clear the prefix cache</source>
        <translation>Präfix-Cache leeren</translation>
    </message>
    <message>
        <source>Stored prompts are discarded; the next ones are read in full.</source>
        <translation>Gespeicherte Prompts werden verworfen; die nächsten werden vollständig gelesen.</translation>
    </message>
    <message>
        <source>vLLM offers this only when started with VLLM_SERVER_DEV_MODE=1 (and, for sleep, --enable-sleep-mode).</source>
        <translation>vLLM bietet das nur, wenn es mit VLLM_SERVER_DEV_MODE=1 gestartet wurde (und zum Schlafen mit --enable-sleep-mode).</translation>
    </message>
    <message>
        <source>Put to sleep</source>
        <translation>In Schlaf versetzen</translation>
    </message>
    <message>
        <source>Weights move to main memory and the cache is discarded; nothing is answered until the engine wakes up.</source>
        <translation>Gewichte wandern in den Arbeitsspeicher, der Cache wird verworfen; bis zum Aufwachen der Engine wird nichts beantwortet.</translation>
    </message>
    <message>
        <source>Weights are loaded again, and answering resumes.</source>
        <translation>Gewichte werden wieder geladen, und es wird wieder geantwortet.</translation>
    </message>
    <message>
        <source>SGLang releases memory only when started with --enable-memory-saver.</source>
        <translation>SGLang gibt Speicher nur frei, wenn es mit --enable-memory-saver gestartet wurde.</translation>
    </message>
    <message>
        <source>Release memory</source>
        <translation>Speicher freigeben</translation>
    </message>
    <message>
        <source>Weights and cache leave the accelerator; nothing is answered until memory is reclaimed.</source>
        <translation>Gewichte und Cache verlassen den Beschleuniger; bis der Speicher wieder belegt ist, wird nichts beantwortet.</translation>
    </message>
    <message>
        <source>Reclaim memory</source>
        <translation>Speicher wieder belegen</translation>
    </message>
    <message>
        <source>Weights and cache return to the accelerator, and answering resumes.</source>
        <translation>Gewichte und Cache kehren auf den Beschleuniger zurück, und es wird wieder geantwortet.</translation>
    </message>
    <message>
        <source>Clear all slots</source>
        <translation>Alle Slots leeren</translation>
    </message>
    <message>
        <source>llama-server offers this only when started with --slot-save-path.</source>
        <translation>llama-server bietet das nur, wenn er mit --slot-save-path gestartet wurde.</translation>
    </message>
    <message>
        <source>Clear the caches</source>
        <translation>Caches leeren</translation>
    </message>
    <message>
        <source>Caches that are not in use are cleared.</source>
        <translation>Unbenutzte Caches werden geleert.</translation>
    </message>
    <message>
        <source>%1: the engine reports a failure.</source>
        <translation>%1: Die Engine meldet einen Fehler.</translation>
    </message>
    <message>
        <source>Answers in progress</source>
        <translation>Laufende Antworten</translation>
    </message>
    <message>
        <source>Waiting requests</source>
        <translation>Wartende Anfragen</translation>
    </message>
    <message>
        <source>Cache capacity, tokens</source>
        <translation>Cache-Kapazität, Token</translation>
    </message>
    <message>
        <source>KL to the full cache</source>
        <translation>KL zum vollen Cache</translation>
    </message>
    <message>
        <source>Decode speed, reported</source>
        <translation>Decodiergeschwindigkeit, gemeldet</translation>
    </message>
    <message>
        <source>Prefill speed, reported</source>
        <translation>Prefill-Geschwindigkeit, gemeldet</translation>
    </message>
    <message>
        <source>Prefix cache: hit rate, reported</source>
        <translation>Präfix-Cache: Trefferquote, gemeldet</translation>
    </message>
    <message>
        <source>Preempted requests</source>
        <translation>Verdrängte Anfragen</translation>
    </message>
    <message>
        <source>Drafted tokens accepted</source>
        <translation>Angenommene Entwurfstoken</translation>
    </message>
    <message>
        <source>Draft acceptance rate, reported</source>
        <translation>Annahmequote der Entwürfe, gemeldet</translation>
    </message>
    <message>
        <source>Request time</source>
        <translation>Zeit einer Anfrage</translation>
    </message>
    <message>
        <source>Prefill time</source>
        <translation>Prefill-Zeit</translation>
    </message>
    <message>
        <source>Decode time</source>
        <translation>Decodierzeit</translation>
    </message>
    <message>
        <source>Tokens per prompt</source>
        <translation>Token je Prompt</translation>
    </message>
    <message>
        <source>Tokens per answer</source>
        <translation>Token je Antwort</translation>
    </message>
    <message>
        <source>LMCache: bytes in remote storage</source>
        <translation>LMCache: Bytes im entfernten Speicher</translation>
    </message>
    <message>
        <source>LMCache: tokens retrieved</source>
        <translation>LMCache: abgerufene Token</translation>
    </message>
    <message>
        <source>LMCache: hit rate</source>
        <translation>LMCache: Trefferquote</translation>
    </message>
    <message>
        <source>LMCache: retrieval time</source>
        <translation>LMCache: Abrufzeit</translation>
    </message>
    <message>
        <source>LMCache: evictions</source>
        <translation>LMCache: Verdrängungen</translation>
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
        <source>%1 slots</source>
        <translation>%1 Slots</translation>
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
        <source>Slots per head</source>
        <translation>Slots je Kopf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>The number of slots per head appears here with the first prompt.</source>
        <translation>Die Zahl der Slots je Kopf erscheint hier mit dem ersten Prompt.</translation>
    </message>
    <message>
        <source>One cell per layer and key-value head. Full colour: as many slots as the conversation has tokens; paler: fewer after compaction.</source>
        <translation>Eine Zelle je Schicht und Schlüssel-Wert-Kopf. Volle Farbe: so viele Slots, wie das Gespräch Token hat; blasser: weniger nach Verdichtung.</translation>
    </message>
    <message>
        <source>slots per head</source>
        <translation>Slots je Kopf</translation>
    </message>
    <message>
        <source>Slots by layer and head: %1 layers of %2 heads, %3 to %4 slots for %5 tokens, %6 in total.</source>
        <translation>Slots nach Schicht und Kopf: %1 Schichten mit %2 Köpfen, %3 bis %4 Slots für %5 Token, zusammen %6.</translation>
    </message>
    <message>
        <source>One column per token, one row per layer; the darker, the more heads of the layer still hold the token. The band above shows the overall state of the token.</source>
        <translation>Eine Spalte je Token, eine Zeile je Schicht; je dunkler, desto mehr Köpfe der Schicht halten das Token noch. Das Band darüber zeigt den Gesamtzustand des Tokens.</translation>
    </message>
    <message>
        <source>Layer %1 has no cache</source>
        <translation>Schicht %1 hat keinen Cache</translation>
    </message>
    <message>
        <source>Layer %1 reads the cache of layer %2</source>
        <translation>Schicht %1 liest den Cache von Schicht %2</translation>
    </message>
    <message>
        <source>Layer %1 has no head %2</source>
        <translation>Schicht %1 hat keinen Kopf %2</translation>
    </message>
    <message>
        <source>%1. %2.</source>
        <translation>%1. %2.</translation>
    </message>
</context>
<context>
    <name>HubAddress</name>
    <message>
        <source>This is not a model name. Write it as OWNER/NAME, or enter the address of a file.</source>
        <translation>Das ist kein Modellname. Schreiben Sie BESITZER/NAME, oder geben Sie die Adresse einer Datei ein.</translation>
    </message>
    <message>
        <source>This is not the address of a hub. Write it like %1.</source>
        <translation>Das ist nicht die Adresse eines Hubs. Schreiben Sie sie wie %1.</translation>
    </message>
    <message>
        <source>%1 cannot be downloaded: the address must start with https://.</source>
        <translation>%1 kann nicht heruntergeladen werden: Die Adresse muss mit https:// beginnen.</translation>
    </message>
    <message>
        <source>An address must not contain a user name or password.</source>
        <translation>Eine Adresse darf keinen Benutzernamen und kein Passwort enthalten.</translation>
    </message>
    <message>
        <source>%1 would be contacted unencrypted, and anyone on the network path could change the data. Use https, or allow http for this download.</source>
        <translation>%1 würde unverschlüsselt angesprochen, und jeder auf dem Netzweg könnte die Daten ändern. Nehmen Sie https, oder erlauben Sie http für diesen Download.</translation>
    </message>
    <message>
        <source>The server redirects to another address. %1</source>
        <translation>Der Server leitet an eine andere Adresse weiter. %1</translation>
    </message>
    <message>
        <source>The server redirects from https to http (%1), which is not followed.</source>
        <translation>Der Server leitet von https auf http weiter (%1); dem wird nicht gefolgt.</translation>
    </message>
    <message>
        <source>The server redirects to this machine or a private network (%1), which is not followed.</source>
        <translation>Der Server leitet auf diesen Rechner oder ein privates Netz weiter (%1); dem wird nicht gefolgt.</translation>
    </message>
    <message>
        <source>“%1” is not allowed as a file name: use letters, digits and . _ - only, at most %2 characters.</source>
        <translation>„%1“ ist als Dateiname nicht erlaubt: nur Buchstaben, Ziffern und . _ -, höchstens %2 Zeichen.</translation>
    </message>
</context>
<context>
    <name>HubListing</name>
    <message>
        <source>The list of files cannot be understood: %1</source>
        <translation>Die Dateiliste ist nicht zu verstehen: %1</translation>
    </message>
    <message>
        <source>it has more than %1 entries.</source>
        <translation>sie hat mehr als %1 Einträge.</translation>
    </message>
    <message>
        <source>an entry has no usable path.</source>
        <translation>ein Eintrag hat keinen brauchbaren Pfad.</translation>
    </message>
    <message>
        <source>it is not a list.</source>
        <translation>sie ist keine Liste.</translation>
    </message>
    <message>
        <source>an entry is not an object.</source>
        <translation>ein Eintrag ist kein Objekt.</translation>
    </message>
    <message>
        <source>The repository has only %2 of its %1 parts.</source>
        <translation>Das Repository hat nur %2 seiner %1 Teile.</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>System language</source>
        <translation>Systemsprache</translation>
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
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>The uncompressed cache that live quality compares with.</source>
        <translation>Der unkomprimierte Cache, mit dem die laufende Qualität vergleicht.</translation>
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
        <source>Measured now: %1.</source>
        <translation>Jetzt gemessen: %1.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Rest of the program</source>
        <translation>Übriges Programm</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>Weights of the model.</source>
        <translation>Gewichte des Modells.</translation>
    </message>
    <message>
        <source>Keys and values of the tokens in the cache.</source>
        <translation>Schlüssel und Werte der Token im Cache.</translation>
    </message>
    <message>
        <source>Reserved for future tokens.</source>
        <translation>Für künftige Token reserviert.</translation>
    </message>
    <message>
        <source>Working memory of one prefill step.</source>
        <translation>Arbeitsspeicher eines Prefill-Schritts.</translation>
    </message>
    <message>
        <source>Text already read, kept for texts that share a prefix (maximum).</source>
        <translation>Bereits gelesener Text, aufbewahrt für Texte mit gemeinsamem Präfix (Höchstwert).</translation>
    </message>
    <message>
        <source>Copies and readings during compactions (maximum).</source>
        <translation>Kopien und Lesungen während Verdichtungen (Höchstwert).</translation>
    </message>
    <message>
        <source>Measured: window, vocabulary, session recording, and working memory of compactions and estimates.</source>
        <translation>Gemessen: Fenster, Vokabular, Aufzeichnung der Sitzung und Arbeitsspeicher von Verdichtungen und Schätzungen.</translation>
    </message>
    <message>
        <source>It fits into the free %1.</source>
        <translation>Das passt in die freien %1.</translation>
    </message>
    <message>
        <source>It does not fit into the free %1; %2 tokens do.</source>
        <translation>Das passt nicht in die freien %1; %2 Token passen.</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Verfügbar</translation>
    </message>
    <message>
        <source>States</source>
        <translation>Zustände</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Sicherungspunkte</translation>
    </message>
    <message>
        <source>States of recurrent layers; they do not grow with the text.</source>
        <translation>Zustände rekurrenter Schichten; sie wachsen nicht mit dem Text.</translation>
    </message>
    <message>
        <source>Earlier states, from which an edit or another answer continues (maximum).</source>
        <translation>Frühere Zustände, von denen eine Änderung oder eine andere Antwort ausgeht (Höchstwert).</translation>
    </message>
    <message>
        <source>One more checkpoint costs</source>
        <translation>Ein weiterer Sicherungspunkt kostet</translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>Cache of the draft model or of the model&apos;s own draft block.</source>
        <translation>Cache des Entwurfsmodells oder des modelleigenen Entwurfsblocks.</translation>
    </message>
</context>
<context>
    <name>MemoryVerdict</name>
    <message>
        <source>%1 s ago</source>
        <translation>vor %1 s</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>vor %1 min</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>vor %1 h</translation>
    </message>
    <message>
        <source>Nothing is cached yet</source>
        <translation>Noch ist nichts im Cache</translation>
    </message>
    <message>
        <source>Memory %1, not compressed</source>
        <translation>Speicher %1, unkomprimiert</translation>
    </message>
    <message>
        <source>Memory %1 instead of %2 (%3 smaller)</source>
        <translation>Speicher %1 statt %2 (%3 kleiner)</translation>
    </message>
    <message numerus="yes">
        <source>%n compaction(s)</source>
        <translation>
            <numerusform>%n Verdichtung</numerusform>
            <numerusform>%n Verdichtungen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 gescheitert</translation>
    </message>
    <message>
        <source>%1 limited</source>
        <translation>%1 begrenzt</translation>
    </message>
    <message>
        <source>pause %1</source>
        <translation>Pause %1</translation>
    </message>
    <message>
        <source>answers: from the full text</source>
        <translation>Antworten: aus dem vollen Text</translation>
    </message>
    <message>
        <source>answers: not measured</source>
        <translation>Antworten: nicht gemessen</translation>
    </message>
    <message>
        <source>answers: likely unchanged</source>
        <translation>Antworten: wohl unverändert</translation>
    </message>
    <message>
        <source>answers: may differ</source>
        <translation>Antworten: können abweichen</translation>
    </message>
    <message>
        <source>answers: likely changed</source>
        <translation>Antworten: wohl verändert</translation>
    </message>
    <message>
        <source>%1 (%2 of the text&apos;s information kept, measured %3)</source>
        <translation>%1 (%2 der Information des Textes erhalten, gemessen %3)</translation>
    </message>
    <message>
        <source>Process %1</source>
        <translation>Prozess %1</translation>
    </message>
    <message>
        <source>Process %1 = model %2 + caches %3 + stored %4 + other %5</source>
        <translation>Prozess %1 = Modell %2 + Caches %3 + gespeichert %4 + Übriges %5</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>Thinking for %1</source>
        <translation>Denkt seit %1</translation>
    </message>
    <message>
        <source>Thought for %1</source>
        <translation>Nachgedacht: %1</translation>
    </message>
    <message>
        <source>Thinking for %1, %2 tokens</source>
        <translation>Denkt seit %1, %2 Token</translation>
    </message>
    <message>
        <source>Thought for %1, %2 tokens</source>
        <translation>Nachgedacht: %1, %2 Token</translation>
    </message>
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
        <source>image not loaded: %1</source>
        <translation>Bild nicht geladen: %1</translation>
    </message>
</context>
<context>
    <name>ModelJobs</name>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Rotations</source>
        <translation>Rotationen</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>Transformation</translation>
    </message>
    <message>
        <source>Surrogate</source>
        <translation>Ersatz</translation>
    </message>
    <message>
        <source>Query centres</source>
        <translation>Zentren der Anfragen</translation>
    </message>
    <message>
        <source>It ended with status %1 and reported no reason.</source>
        <translation>Es endete mit Status %1 und meldete keinen Grund.</translation>
    </message>
    <message>
        <source>Finds the heads that need distant context, so that attention matching gives them more slots. Takes seconds to minutes; the window also measures them automatically.</source>
        <translation>Findet die Köpfe, die entfernten Kontext brauchen, so dass Attention Matching ihnen mehr Slots gibt. Dauert Sekunden bis Minuten; das Fenster misst sie auch automatisch.</translation>
    </message>
    <message>
        <source>Makes caches with 2 and 3 bits lose less. Takes minutes.</source>
        <translation>Lässt Caches mit 2 und 3 Bit weniger verlieren. Dauert Minuten.</translation>
    </message>
    <message>
        <source>Finds the layers that need extra bits (extra_bits). Takes minutes; run it after calibrating rotations, which it depends on.</source>
        <translation>Findet die Schichten, die zusätzliche Bits brauchen (extra_bits). Dauert Minuten; nach dem Kalibrieren der Rotationen auszuführen, von denen es abhängt.</translation>
    </message>
    <message>
        <source>Makes caches stored on disk smaller. Takes minutes.</source>
        <translation>Verkleinert auf der Platte gespeicherte Caches. Dauert Minuten.</translation>
    </message>
    <message>
        <source>Lets evictions keep what a repetition of the text would attend to, without reading it again. Takes minutes.</source>
        <translation>Lässt Verdrängungen behalten, was eine Wiederholung des Textes beachten würde, ohne ihn erneut zu lesen. Dauert Minuten.</translation>
    </message>
    <message>
        <source>Lets TriAttention evictions use the model&apos;s own queries during long answers. Takes less than a minute for small models.</source>
        <translation>Lässt TriAttention-Verdrängungen in langen Antworten die Abfragen des Modells verwenden. Dauert bei kleinen Modellen weniger als eine Minute.</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Key heads by layer: %1</source>
        <translation>KV-Köpfe je Schicht: %1</translation>
    </message>
</context>
<context>
    <name>PartFile</name>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 lässt sich nicht schreiben: %2.</translation>
    </message>
    <message>
        <source>Another window or program is downloading %1.</source>
        <translation>Ein anderes Fenster oder Programm lädt %1 gerade herunter.</translation>
    </message>
    <message>
        <source>The disk is full: %1 cannot be written. The downloaded part is kept: free some space, then resume.</source>
        <translation>Die Platte ist voll: %1 kann nicht geschrieben werden. Der heruntergeladene Teil bleibt: Schaffen Sie Platz, und setzen Sie dann fort.</translation>
    </message>
    <message>
        <source>The disk cannot store a file of this size (%1). Choose a folder on another disk.</source>
        <translation>Die Platte kann keine Datei dieser Größe speichern (%1). Wählen Sie einen Ordner auf einer anderen.</translation>
    </message>
</context>
<context>
    <name>PredictedMemory</name>
    <message>
        <source>A prediction appears with the first text</source>
        <translation>Eine Vorhersage erscheint mit dem ersten Text</translation>
    </message>
    <message>
        <source>Predicted %1, %2 of the text kept</source>
        <translation>Vorhersage: %1, %2 des Textes erhalten</translation>
    </message>
    <message>
        <source>Predicted %1, loss not measured</source>
        <translation>Vorhersage: %1, Verlust nicht gemessen</translation>
    </message>
</context>
<context>
    <name>Profiles</name>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Frugal</source>
        <translation>Sparsam</translation>
    </message>
    <message>
        <source>Nothing is lost, but the cache takes the most memory: 16 bits and every token.</source>
        <translation>Nichts geht verloren, aber der Cache braucht am meisten Speicher: 16 Bit und jedes Token.</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
    <message>
        <source>The fewest bits that cost this model almost nothing in measurements, and long texts compacted up to 4x as long as answers stay the same.</source>
        <translation>Die wenigsten Bits, die dieses Modell in Messungen fast nichts kosten; lange Texte bis zu 4-fach verdichtet, solange die Antworten gleich bleiben.</translation>
    </message>
    <message>
        <source>The smallest cache: keys in 8 bits, values in 4, and long texts compacted up to 8x, keeping 99 % of their information. Details can be lost.</source>
        <translation>Der kleinste Cache: Schlüssel in 8 Bit, Werte in 4; lange Texte bis zu 8-fach verdichtet, wobei 99 % ihrer Information bleiben. Einzelheiten können verloren gehen.</translation>
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
        <source>The address is missing. Write it like http://127.0.0.1:8080.</source>
        <translation>Die Adresse fehlt. Schreiben Sie sie wie http://127.0.0.1:8080.</translation>
    </message>
    <message>
        <source>This is not an address. Write it like http://127.0.0.1:8080.</source>
        <translation>Das ist keine Adresse. Schreiben Sie sie wie http://127.0.0.1:8080.</translation>
    </message>
    <message>
        <source>An address starts with http:// or https://, not with %1://.</source>
        <translation>Eine Adresse beginnt mit http:// oder https://, nicht mit %1://.</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>Geben Sie den Schlüssel in seinem eigenen Feld ein, nicht in der Adresse.</translation>
    </message>
    <message>
        <source>The address must not contain “?” or “#”.</source>
        <translation>Die Adresse darf kein „?“ oder „#“ enthalten.</translation>
    </message>
    <message>
        <source>A key contains only ASCII letters, digits and symbols, no spaces.</source>
        <translation>Ein Schlüssel enthält nur Buchstaben, Ziffern und Symbole in ASCII, keine Leerzeichen.</translation>
    </message>
</context>
<context>
    <name>RemoteProblem</name>
    <message>
        <source>%1 closed the connection without an answer.</source>
        <translation>%1 hat die Verbindung ohne Antwort geschlossen.</translation>
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
        <source>The engine refused the request (%1).</source>
        <translation>Die Engine hat die Anfrage abgelehnt (%1).</translation>
    </message>
    <message>
        <source>Its message: “%1”</source>
        <translation>Ihre Meldung: „%1“</translation>
    </message>
    <message>
        <source>%1 refused the connection. Is the engine running at this port?</source>
        <translation>%1 hat die Verbindung abgelehnt. Läuft die Engine an diesem Port?</translation>
    </message>
    <message>
        <source>The host %1 was not found.</source>
        <translation>Der Rechner %1 wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>The certificate of %1 is not trusted: %2.</source>
        <translation>Das Zertifikat von %1 ist nicht vertrauenswürdig: %2.</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2.</source>
        <translation>%1 ist nicht erreichbar: %2.</translation>
    </message>
    <message>
        <source>%1 did not answer in time.</source>
        <translation>%1 antwortete nicht rechtzeitig.</translation>
    </message>
    <message>
        <source>The connection closed before the answer was complete.</source>
        <translation>Die Verbindung wurde geschlossen, bevor die Antwort vollständig war.</translation>
    </message>
    <message>
        <source>The engine requires a key, or a different one.</source>
        <translation>Die Engine verlangt einen Schlüssel oder einen anderen.</translation>
    </message>
    <message>
        <source>The engine does not allow this with this key.</source>
        <translation>Die Engine erlaubt das mit diesem Schlüssel nicht.</translation>
    </message>
    <message>
        <source>The engine has moved to %1. Enter that address: it is not followed automatically, because the key would be sent there.</source>
        <translation>Die Engine ist nach %1 umgezogen. Geben Sie diese Adresse ein: Ihr wird nicht automatisch gefolgt, weil der Schlüssel dorthin gesendet würde.</translation>
    </message>
    <message>
        <source>The engine sent an unexpected response: %1</source>
        <translation>Die Engine sandte eine unerwartete Antwort: %1</translation>
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
        <source>Compactions</source>
        <translation>Verdichtungen</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>Answers and their metrics</source>
        <translation>Antworten und ihre Kennzahlen</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>Settings and changes</source>
        <translation>Einstellungen und Änderungen</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
</context>
<context>
    <name>RetentionState</name>
    <message>
        <source>evicted by compaction %1</source>
        <translation>von Verdichtung %1 verdrängt</translation>
    </message>
    <message>
        <source>evicted by compaction %1 or earlier</source>
        <translation>von Verdichtung %1 oder einer früheren verdrängt</translation>
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
        <translation>behalten</translation>
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
        <source>some heads of the other layers</source>
        <translation>einige Köpfe der übrigen Schichten</translation>
    </message>
    <message>
        <source>no head of layers %1</source>
        <translation>kein Kopf der Schichten %1</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads</source>
        <translation>gehalten von %1 der Schichten und Köpfe</translation>
    </message>
    <message>
        <source>held by %1 of layers and heads (%2)</source>
        <translation>gehalten von %1 der Schichten und Köpfe (%2)</translation>
    </message>
    <message>
        <source>represents %1 tokens</source>
        <translation>steht für %1 Token</translation>
    </message>
    <message>
        <source>key %1 x the mean length</source>
        <translation>Schlüssel %1 x die mittlere Länge</translation>
    </message>
    <message>
        <source>in the weakest passage, with %1 of its information kept</source>
        <translation>in der schwächsten Passage, von deren Information %1 erhalten ist</translation>
    </message>
    <message>
        <source>Token %1 of %2 “%3”: %4</source>
        <translation>Token %1 von %2 „%3“: %4</translation>
    </message>
</context>
<context>
    <name>SettingHelp</name>
    <message>
        <source>None: nothing is lost, but memory grows with every token. Evict tokens: frees memory at once, but evicted tokens are lost; attention matching: loses far less at the same size, but takes seconds of work in the background. (Eviction, arXiv 2406.11430; attention matching, arXiv 2602.16284.)</source>
        <translation>Keine: Nichts geht verloren, aber der Speicher wächst mit jedem Token. Token verdrängen: gibt sofort Speicher frei, aber verdrängte Token sind verloren; Attention Matching: verliert bei gleicher Größe weit weniger, braucht aber Sekunden Arbeit im Hintergrund. (Verdrängung, arXiv 2406.11430; Attention Matching, arXiv 2602.16284.)</translation>
    </message>
    <message>
        <source>Slots each head keeps after a compaction, however long the text: fewer save memory, more lose less. At least sinks + keep recent + 1, at most the context; between two compactions the cache may pass it by the margin.</source>
        <translation>Slots, die jeder Kopf nach einer Verdichtung behält, wie lang der Text auch ist: Weniger sparen Speicher, mehr verlieren weniger. Mindestens Senken + neueste + 1, höchstens der Kontext; zwischen zwei Verdichtungen darf der Cache um den Spielraum darüber liegen.</translation>
    </message>
    <message>
        <source>The newest tokens, which no compaction touches. More: recent text stays exact; less: more room for older text.</source>
        <translation>Die neuesten Token, die keine Verdichtung anrührt. Mehr: Neuer Text bleibt genau; weniger: mehr Platz für älteren Text.</translation>
    </message>
    <message>
        <source>Conversations with fewer tokens are not compacted; 0 compacts any conversation. More: short conversations lose nothing; less: memory is saved earlier.</source>
        <translation>Gespräche mit weniger Token werden nicht verdichtet; 0 verdichtet jedes Gespräch. Mehr: Kurze Gespräche verlieren nichts; weniger: Speicher wird früher gespart.</translation>
    </message>
    <message>
        <source>The most that a compaction may lose, measured before it is carried out; a ratio that loses more is lowered, and the lower one is shown. strict: loses almost nothing but saves less memory; off: the chosen ratio is used whatever it loses.</source>
        <translation>Was eine Verdichtung höchstens verlieren darf, vor ihr gemessen; ein Verhältnis, das mehr verliert, wird gesenkt und so angezeigt. strict: verliert fast nichts, spart aber weniger Speicher; off: das gewählte Verhältnis gilt, was immer es verliert.</translation>
    </message>
    <message>
        <source>The first tokens, which no compaction touches: without them answers degrade, but more than a few only cost memory. Coded caches keep them in 16 bits. (Attention sinks, arXiv 2309.17453.)</source>
        <translation>Die ersten Token, die keine Verdichtung anrührt: Ohne sie werden Antworten schlechter, aber mehr als einige kosten nur Speicher. Codierte Caches behalten sie in 16 Bit. (Attention-Senken, arXiv 2309.17453.)</translation>
    </message>
    <message>
        <source>How far the cache may exceed its target before it is compacted. More: fewer pauses; less: memory stays closer to the target; off: an eighth of the target, between 16 and 256.</source>
        <translation>Wie weit der Cache sein Ziel überschreiten darf, bevor er verdichtet wird. Mehr: weniger Pausen; weniger: der Speicher bleibt näher am Ziel; aus: ein Achtel des Ziels, zwischen 16 und 256.</translation>
    </message>
    <message>
        <source>How attention matching divides its slots among heads. Measured heads: those that retrieve distant text keep more, so facts survive, but each model is measured once while idle; equal for all heads: needs no measuring but loses more.</source>
        <translation>Wie Attention Matching seine Slots auf Köpfe verteilt. Gemessene Köpfe: Die, die entfernten Text abrufen, behalten mehr, so dass Fakten überleben, aber jedes Modell wird einmal im Leerlauf gemessen; für alle Köpfe gleich: braucht keine Messung, verliert aber mehr.</translation>
    </message>
    <message>
        <source>How the attention of a repetition of the text is determined. By repetition: exact, but reads the text up to three times; by surrogate: nothing waits, slightly less exact, and needs one fit per model.</source>
        <translation>Wie die Attention einer Wiederholung des Textes bestimmt wird. Durch Wiederholung: exakt, liest den Text aber bis zu dreimal; durch einen Ersatz: nichts wartet, etwas weniger exakt, eine Anpassung je Modell.</translation>
    </message>
    <message>
        <source>On: punctuation and blanks count as a fifth when an eviction chooses by attention, which leaves more slots for words. Off: they count like other tokens.</source>
        <translation>An: Satzzeichen und Leerraum zählen zu einem Fünftel, wenn eine Verdrängung nach Attention wählt, was mehr Slots für Wörter lässt. Aus: Sie zählen wie andere Token.</translation>
    </message>
    <message>
        <source>Fewer bits: a fraction of the memory, every token stays, and long conversations answer faster, but too few ruin some models without warning, so measure first (Tools menu, Cache formats of this model). t8 to t1 are rotated codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, f16 is 16 bits; rounded-away bits cannot be restored. (Rotated codes, arXiv 2504.19874.)</source>
        <translation>Weniger Bits: ein Bruchteil des Speichers, jedes Token bleibt, und lange Gespräche antworten schneller, aber zu wenige verderben manche Modelle ohne Warnung; messen Sie zuerst (Menü Extras, Cache-Formate dieses Modells). t8 bis t1 sind rotierte Codes von 8 bis 1 Bit, q8_0 und q4_0 Codes in Gruppen, f16 sind 16 Bit; Weggerundetes ist nicht wiederherstellbar. (Rotierte Codes, arXiv 2504.19874.)</translation>
    </message>
    <message>
        <source>Bits of the values, if they differ from those of the keys. Values tolerate fewer bits than keys: 8 for keys and 4 for values costs most models almost nothing.</source>
        <translation>Bits der Werte, falls sie von denen der Schlüssel abweichen. Werte vertragen weniger Bits als Schlüssel: 8 für Schlüssel und 4 für Werte kosten die meisten Modelle fast nichts.</translation>
    </message>
    <message>
        <source>Number of newest tokens that are also kept in 16 bits. More: recent text is read exactly; less: saves their memory; 0 keeps codes only. (KIVI, arXiv 2402.02750, keeps 128.)</source>
        <translation>Zahl der neuesten Token, die zusätzlich in 16 Bit bleiben. Mehr: Neuer Text wird genau gelesen; weniger: spart deren Speicher; 0 behält nur Codes. (KIVI, arXiv 2402.02750, behält 128.)</translation>
    </message>
    <message>
        <source>Rotation of the numbers before they are coded. Calibrated: loses less at few bits, after minutes of measuring once per model; Hadamard: needs no measuring. (arXiv 2605.17757.)</source>
        <translation>Rotation der Zahlen vor dem Codieren. Kalibriert: verliert bei wenigen Bits weniger, nach Minuten des Messens einmal je Modell; Hadamard: braucht keine Messung. (arXiv 2605.17757.)</translation>
    </message>
    <message>
        <source>Additional bits per number, on average, for the layers where they help most: much of the gain of a full bit for part of its memory. Needs minutes of measuring once per model.</source>
        <translation>Zusätzliche Bits je Zahl im Mittel, für die Schichten, in denen sie am meisten helfen: viel vom Gewinn eines vollen Bits für einen Teil des Speichers. Braucht Minuten des Messens, einmal je Modell.</translation>
    </message>
    <message>
        <source>A higher ratio: less memory and faster answers in long conversations; a lower one: more is kept exactly. Up to about 4, most texts lose little. (arXiv 2602.16284.)</source>
        <translation>Ein höheres Verhältnis: weniger Speicher und schnellere Antworten in langen Gesprächen; ein niedrigeres: mehr bleibt genau erhalten. Bis etwa 4 verlieren die meisten Texte wenig. (arXiv 2602.16284.)</translation>
    </message>
    <message>
        <source>At the budget: memory stays close to it, but what the next question needs may be evicted. One turn late: the newest queries judge the text before them, so more of what is asked next is kept, but the cache may exceed the budget by one turn. (Delayed compaction, arXiv 2608.00902.)</source>
        <translation>Beim Budget: Der Speicher bleibt nahe daran, aber was die nächste Frage braucht, kann verdrängt sein. Eine Runde später: Die neuesten Abfragen beurteilen den Text davor, so dass mehr vom Nächstgefragten erhalten bleibt, aber der Cache kann das Budget um eine Runde überschreiten. (Verzögerte Verdichtung, arXiv 2608.00902.)</translation>
    </message>
    <message>
        <source>Which tokens an eviction keeps: by attention, more of what is asked later is kept, but scoring takes time; by keys alone (norms, KeyDiff) costs nothing, but facts are lost sooner. Distance and query centres suit long answers; newest only and random are for comparison. (Key norms, arXiv 2406.11430; KeyDiff, 2504.15364; SnapKV, 2404.14469; H2O, 2306.14048; KVzip, 2505.23416; Expected Attention, 2510.00636; TriAttention, 2604.04921.)</source>
        <translation>Welche Token eine Verdrängung behält: Nach Attention bleibt mehr vom später Gefragten, aber das Bewerten kostet Zeit; nach Schlüsseln allein (Normen, KeyDiff) kostet es nichts, aber Fakten gehen früher verloren. Abstand und Abfragezentren eignen sich für lange Antworten; nur neueste und zufällig dienen dem Vergleich. (Schlüsselnormen, arXiv 2406.11430; KeyDiff, 2504.15364; SnapKV, 2404.14469; H2O, 2306.14048; KVzip, 2505.23416; Expected Attention, 2510.00636; TriAttention, 2604.04921.)</translation>
    </message>
    <message>
        <source>Each head alone: each keeps what it needs, so more is kept. Together: all heads hold the same tokens, so it is clear what was evicted.</source>
        <translation>Jeder Kopf für sich: Jeder behält, was er braucht, so dass mehr erhalten bleibt. Gemeinsam: Alle Köpfe halten dieselben Token, so dass klar ist, was verdrängt wurde.</translation>
    </message>
    <message>
        <source>How an eviction divides its slots among heads. By score: heads that attend far back keep more, so less is lost; equal for all heads: simple, and no head exceeds the budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</source>
        <translation>Wie eine Verdrängung ihre Slots auf Köpfe verteilt. Nach Wertung: Köpfe, die weit zurückblicken, behalten mehr, so dass weniger verloren geht; für alle Köpfe gleich: einfach, und kein Kopf überschreitet das Budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)</translation>
    </message>
    <message>
        <source>Memory never grows: every layer keeps only the first and the newest tokens, this many in all, and everything in between is dropped permanently. Not together with a method or a budget. (arXiv 2309.17453.)</source>
        <translation>Der Speicher wächst nie: Jede Schicht behält nur die ersten und die neuesten Token, insgesamt so viele, und alles dazwischen wird endgültig verworfen. Nicht zusammen mit einer Methode oder einem Budget. (arXiv 2309.17453.)</translation>
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
        <source>This ratio is converted to a budget in slots, which needs the length of the conversation, known only after its next answer.</source>
        <translation>Dieses Verhältnis wird in ein Budget in Slots umgerechnet, was die Länge des Gesprächs braucht, die erst nach der nächsten Antwort feststeht.</translation>
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
        <source>Paused while an answer is written.</source>
        <translation>Pausiert, solange eine Antwort geschrieben wird.</translation>
    </message>
    <message>
        <source>Paused while another measurement runs.</source>
        <translation>Pausiert, solange eine andere Messung läuft.</translation>
    </message>
    <message>
        <source>The engine stopped: %1 Restart Lacuna.</source>
        <translation>Die Engine ist stehen geblieben: %1 Starten Sie Lacuna neu.</translation>
    </message>
    <message>
        <source>Precision from the next answer on: %1</source>
        <translation>Genauigkeit ab der nächsten Antwort: %1</translation>
    </message>
    <message>
        <source>%1 cannot be the draft model for %2: %3</source>
        <translation>%1 kann nicht Entwurfsmodell für %2 sein: %3</translation>
    </message>
    <message>
        <source>%1 Wait until it ends or stop it.</source>
        <translation>%1 Warten Sie, bis es endet, oder halten Sie es an.</translation>
    </message>
    <message>
        <source>An answer is being written. Wait until it ends or stop it.</source>
        <translation>Eine Antwort wird geschrieben. Warten Sie, bis sie endet, oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>A model is being loaded. Wait until it is loaded or stop it.</source>
        <translation>Ein Modell wird geladen. Warten Sie, bis es geladen ist, oder halten Sie es an.</translation>
    </message>
    <message>
        <source>A measurement is running. Wait until it ends or stop it.</source>
        <translation>Eine Messung läuft. Warten Sie, bis sie endet, oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>Conversations are saved to disk again.</source>
        <translation>Gespräche werden wieder auf der Platte gespeichert.</translation>
    </message>
    <message>
        <source>The cache settings of “%1” were discarded: %2</source>
        <translation>Die Cache-Einstellungen von „%1“ wurden verworfen: %2</translation>
    </message>
    <message>
        <source>A message from the engine could not be processed: %1</source>
        <translation>Eine Meldung der Engine konnte nicht verarbeitet werden: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::CalibrationController</name>
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
        <source>Rotated codes use rotations calibrated on this model.</source>
        <translation>Rotierte Codes verwenden auf diesem Modell kalibrierte Rotationen.</translation>
    </message>
    <message>
        <source>Rotated codes use random rotations, because the calibrated ones stored with the model cannot be used: %1.</source>
        <translation>Rotierte Codes verwenden zufällige Rotationen, weil die beim Modell gespeicherten kalibrierten nicht verwendbar sind: %1.</translation>
    </message>
    <message>
        <source>Rotated codes use random rotations; calibrated ones lose less with 2 and 3 bits.</source>
        <translation>Rotierte Codes verwenden zufällige Rotationen; kalibrierte verlieren bei 2 und 3 Bit weniger.</translation>
    </message>
    <message>
        <source>Generating the text</source>
        <translation>Text wird erzeugt</translation>
    </message>
    <message>
        <source>The text that ships with the program was not found.</source>
        <translation>Der mitgelieferte Text wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>Calibrated in %1 and saved as %2. It takes effect when the model is loaded again.</source>
        <translation>In %1 kalibriert und als %2 gespeichert. Wirksam, sobald das Modell neu geladen ist.</translation>
    </message>
    <message>
        <source>Stopped; nothing was saved.</source>
        <translation>Angehalten; nichts wurde gespeichert.</translation>
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
        <source>Sent again with revision %1.</source>
        <translation>Mit Fassung %1 erneut gesendet.</translation>
    </message>
    <message>
        <source>Not applied: %1</source>
        <translation>Nicht angewandt: %1</translation>
    </message>
    <message>
        <source>no effect while %1</source>
        <translation>ohne Wirkung: %1</translation>
    </message>
    <message>
        <source>The change was rolled back.</source>
        <translation>Die Änderung wurde zurückgenommen.</translation>
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
    <message>
        <source>Takes effect when a conversation&apos;s cache is rebuilt.</source>
        <translation>Gilt, wenn der Cache eines Gesprächs neu aufgebaut wird.</translation>
    </message>
    <message>
        <source>changing it sets %1</source>
        <translation>Ändern setzt %1</translation>
    </message>
    <message>
        <source> A budget of %1 keeps half of the %2 slots that a head holds now.</source>
        <translation> Ein Budget von %1 behält die Hälfte der %2 Slots, die ein Kopf jetzt hält.</translation>
    </message>
    <message>
        <source>Some changes take effect with the next answer.</source>
        <translation>Einige Änderungen gelten erst ab der nächsten Antwort.</translation>
    </message>
    <message>
        <source>The engine could not apply this change; %1 is still in effect.</source>
        <translation>Die Engine konnte diese Änderung nicht anwenden; %1 gilt weiter.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConnectionList</name>
    <message>
        <source>Lacuna: key of %1</source>
        <translation>Lacuna: Schlüssel von %1</translation>
    </message>
    <message>
        <source>The list of engines could not be read: %1</source>
        <translation>Die Liste der Engines konnte nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>The list of engines could not be saved: %1</source>
        <translation>Die Liste der Engines konnte nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>No keyring is available now.</source>
        <translation>Jetzt ist kein Schlüsselbund verfügbar.</translation>
    </message>
    <message>
        <source>The key is no longer in the keyring.</source>
        <translation>Der Schlüssel ist nicht mehr im Schlüsselbund.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationCache</name>
    <message>
        <source>The cache of this conversation was loaded from %1, %2 tokens. The next question reuses it as far as the text matches.</source>
        <translation>Der Cache dieses Gesprächs wurde aus %1 geladen, %2 Token. Die nächste Frage verwendet ihn, soweit der Text übereinstimmt.</translation>
    </message>
    <message>
        <source>The cache of this conversation was saved to %1, %2 tokens.</source>
        <translation>Der Cache dieses Gesprächs wurde in %1 gespeichert, %2 Token.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationList</name>
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
        <source>%1 (continued)</source>
        <translation>%1 (Fortsetzung)</translation>
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
    <message>
        <source>
Last answer used %1.</source>
        <translation>
Letzte Antwort mit %1.</translation>
    </message>
    <message>
        <source>
It has its own cache settings.</source>
        <translation>
Es hat eigene Cache-Einstellungen.</translation>
    </message>
    <message>
        <source>
It is private: nothing is stored.</source>
        <translation>
Es ist privat: Nichts wird gespeichert.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationStorage</name>
    <message>
        <source>Stored conversations cannot be read: %1</source>
        <translation>Gespeicherte Gespräche sind nicht lesbar: %1</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (Kopie)</translation>
    </message>
    <message>
        <source>%1 It was not deleted.</source>
        <translation>%1 Es wurde nicht gelöscht.</translation>
    </message>
    <message>
        <source>A stored conversation cannot be read: %1</source>
        <translation>Ein gespeichertes Gespräch ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>Conversations cannot be searched: %1</source>
        <translation>Gespräche lassen sich nicht durchsuchen: %1</translation>
    </message>
    <message>
        <source>The search index did not match the stored conversations and was rebuilt.</source>
        <translation>Der Suchindex passte nicht zu den gespeicherten Gesprächen und wurde neu erstellt.</translation>
    </message>
    <message>
        <source>Conversations cannot be saved: %1</source>
        <translation>Gespräche können nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>“%1” was also changed by another instance of Lacuna. Your version is saved as “%2”.</source>
        <translation>„%1“ wurde auch von einer anderen Instanz von Lacuna geändert. Ihre Fassung wird als „%2“ gespeichert.</translation>
    </message>
    <message>
        <source>“%1” was deleted by another instance of Lacuna.</source>
        <translation>„%1“ wurde von einer anderen Instanz von Lacuna gelöscht.</translation>
    </message>
    <message numerus="yes">
        <source>%n message(s) of this conversation were damaged on disk and are marked.</source>
        <translation>
            <numerusform>%n Nachricht dieses Gesprächs wurde auf der Platte beschädigt und ist gekennzeichnet.</numerusform>
            <numerusform>%n Nachrichten dieses Gesprächs wurden auf der Platte beschädigt und sind gekennzeichnet.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationTurns</name>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
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
        <source>There is no question yet.</source>
        <translation>Es gibt noch keine Frage.</translation>
    </message>
    <message>
        <source>Not sent: the model was not loaded.</source>
        <translation>Nicht gesendet: Das Modell wurde nicht geladen.</translation>
    </message>
    <message>
        <source>Sent once the model is loaded.</source>
        <translation>Wird gesendet, sobald das Modell geladen ist.</translation>
    </message>
    <message>
        <source>The system prompt is edited in its own window.</source>
        <translation>Der Systemprompt wird in einem eigenen Fenster bearbeitet.</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>Die Antwort ist vollständig.</translation>
    </message>
    <message>
        <source>The answer is still empty. Regenerate it instead.</source>
        <translation>Die Antwort ist noch leer. Lassen Sie stattdessen neu antworten.</translation>
    </message>
    <message>
        <source>Edited by you. Continue adds to its end.</source>
        <translation>Von Ihnen bearbeitet. „Fortsetzen“ schreibt am Ende weiter.</translation>
    </message>
    <message>
        <source>Answers of this model cannot be continued. Regenerate it instead.</source>
        <translation>Antworten dieses Modells lassen sich nicht fortsetzen. Lassen Sie stattdessen neu antworten.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::Download</name>
    <message>
        <source>The folder %1 cannot be created.</source>
        <translation>Der Ordner %1 kann nicht angelegt werden.</translation>
    </message>
    <message>
        <source>%1 already exists and is not overwritten: remove it, or choose another folder.</source>
        <translation>%1 ist schon vorhanden und wird nicht überschrieben: Entfernen Sie es, oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The partial download cannot be resumed safely because the server sent no ETag: it starts over.</source>
        <translation>Der begonnene Download lässt sich nicht sicher fortsetzen, weil der Server kein ETag sandte: Er beginnt von vorn.</translation>
    </message>
    <message>
        <source>The partial file has become shorter.</source>
        <translation>Die Teildatei ist kürzer geworden.</translation>
    </message>
    <message>
        <source>%1 repeatedly sends responses that do not match the request.</source>
        <translation>%1 sendet wiederholt Antworten, die nicht zur Anfrage passen.</translation>
    </message>
    <message>
        <source>The file on the server has changed; the download starts over.</source>
        <translation>Die Datei auf dem Server hat sich geändert; der Download beginnt von vorn.</translation>
    </message>
    <message>
        <source>The server cannot resume the download; it starts over.</source>
        <translation>Der Server kann den Download nicht fortsetzen; er beginnt von vorn.</translation>
    </message>
    <message>
        <source>%1 sent a web page instead of %2. Does this network require a login first?</source>
        <translation>%1 sandte eine Webseite statt %2. Verlangt dieses Netz zuerst eine Anmeldung?</translation>
    </message>
    <message>
        <source>%1 does not report the length of %2, so the download could not be checked for completeness.</source>
        <translation>%1 meldet die Länge von %2 nicht, also ließe sich der Download nicht auf Vollständigkeit prüfen.</translation>
    </message>
    <message>
        <source>%1 reports %2 bytes, but %3 were announced.</source>
        <translation>%1 meldet %2 Bytes, aber %3 waren angekündigt.</translation>
    </message>
    <message>
        <source>%1 sends more than the %2 bytes announced for %3.</source>
        <translation>%1 sendet mehr als die für %3 angekündigten %2 Bytes.</translation>
    </message>
    <message>
        <source>%1 is not a model: %2.</source>
        <translation>%1 ist kein Modell: %2.</translation>
    </message>
    <message>
        <source>%1 ended the transfer of %2 at %3 of %4 bytes. The downloaded part is kept.</source>
        <translation>%1 beendete die Übertragung von %2 bei %3 von %4 Bytes. Der heruntergeladene Teil bleibt.</translation>
    </message>
    <message>
        <source>%1 Retrying.</source>
        <translation>%1 Neuer Versuch.</translation>
    </message>
    <message>
        <source>%1 has the right length but the wrong content: its SHA-256 is %2 instead of %3. It was moved to %4; resume to download it again.</source>
        <translation>%1 hat die richtige Länge, aber den falschen Inhalt: Sein SHA-256 ist %2 statt %3. Es wurde nach %4 verschoben; zum erneuten Herunterladen fortsetzen.</translation>
    </message>
    <message>
        <source>%1 is not a model: %2. The file was set aside.</source>
        <translation>%1 ist kein Modell: %2. Die Datei wurde beiseitegelegt.</translation>
    </message>
    <message>
        <source>%1 already exists. The model is in %2.</source>
        <translation>%1 ist schon vorhanden. Das Modell ist in %2.</translation>
    </message>
    <message>
        <source>Complete. No digest of the full file was available, so its content was not verified.</source>
        <translation>Vollständig. Es gab keine Prüfsumme der ganzen Datei, daher wurde ihr Inhalt nicht geprüft.</translation>
    </message>
    <message>
        <source>Complete, and its SHA-256 is correct.</source>
        <translation>Vollständig, und der SHA-256 stimmt.</translation>
    </message>
    <message>
        <source>%1 more are needed, but the disk of %2 has only %3 free. The downloaded part is kept: free some space, then resume.</source>
        <translation>%1 werden noch benötigt, aber auf dem Datenträger von %2 sind nur %3 frei. Der heruntergeladene Teil bleibt erhalten: Platz schaffen, dann fortsetzen.</translation>
    </message>
    <message>
        <source>The server sent a different part than requested; the download starts over.</source>
        <translation>Der Server hat einen anderen Teil als angefordert gesendet; der Download beginnt von vorn.</translation>
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
        <source>A SHA-256 digest has 64 digits, 0-9 and a-f.</source>
        <translation>Eine SHA-256-Prüfsumme hat 64 Zeichen aus 0-9 und a-f.</translation>
    </message>
    <message>
        <source>A digest applies to one file, but this model has several.</source>
        <translation>Eine Prüfsumme gilt für eine Datei, aber dieses Modell hat mehrere.</translation>
    </message>
    <message>
        <source>%1 is already on the list, from another source. Remove that entry first.</source>
        <translation>%1 steht schon auf der Liste, aus einer anderen Quelle. Entfernen Sie den Eintrag zuerst.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubFetch</name>
    <message>
        <source>The certificate of %1 is not trusted: %2. Is the clock of this machine right?</source>
        <translation>Das Zertifikat von %1 ist nicht vertrauenswürdig: %2. Geht die Uhr dieses Rechners richtig?</translation>
    </message>
    <message>
        <source>%1 was not found. Is this machine connected to the network?</source>
        <translation>%1 wurde nicht gefunden. Ist dieser Rechner mit dem Netz verbunden?</translation>
    </message>
    <message>
        <source>%1 refused the connection.</source>
        <translation>%1 hat die Verbindung abgelehnt.</translation>
    </message>
    <message>
        <source>%1 stopped responding.</source>
        <translation>%1 antwortet nicht mehr.</translation>
    </message>
    <message>
        <source>%1 closed the connection.</source>
        <translation>%1 hat die Verbindung geschlossen.</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2.</source>
        <translation>%1 ist nicht erreichbar: %2.</translation>
    </message>
    <message>
        <source>Qt finds no TLS library (OpenSSL) on this system; without encryption nothing is downloaded.</source>
        <translation>Qt findet auf diesem System keine TLS-Bibliothek (OpenSSL); ohne Verschlüsselung wird nichts heruntergeladen.</translation>
    </message>
    <message>
        <source>%1 redirects without an address.</source>
        <translation>%1 leitet ohne Adresse weiter.</translation>
    </message>
    <message>
        <source>%1 redirects more than %2 times.</source>
        <translation>%1 leitet mehr als %2 Mal weiter.</translation>
    </message>
    <message>
        <source>%1 restricts access to this model (%2). Accept its terms there with your account, and enter the token of the account here.</source>
        <translation>%1 beschränkt den Zugang zu diesem Modell (%2). Nehmen Sie dort mit Ihrem Konto die Bedingungen an, und geben Sie hier das Token des Kontos ein.</translation>
    </message>
    <message>
        <source>%1 has nothing with this name (%2).</source>
        <translation>%1 hat nichts unter diesem Namen (%2).</translation>
    </message>
    <message>
        <source>%1 received too many requests. Resume in %2 s.</source>
        <translation>%1 bekam zu viele Anfragen. In %2 s fortsetzen.</translation>
    </message>
    <message>
        <source>%1 received too many requests. Resume later.</source>
        <translation>%1 bekam zu viele Anfragen. Später fortsetzen.</translation>
    </message>
    <message>
        <source>%1 responded with status %2.</source>
        <translation>%1 antwortete mit Status %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::HubLister</name>
    <message>
        <source>The list of files is larger than %1 and is not read.</source>
        <translation>Die Dateiliste ist größer als %1 und wird nicht gelesen.</translation>
    </message>
    <message>
        <source>The list of files is too long.</source>
        <translation>Die Dateiliste ist zu lang.</translation>
    </message>
    <message>
        <source>The list of files continues on another host (%1), which is not followed.</source>
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
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>%1 has an invalid setting: %2</source>
        <translation>%1 hat eine ungültige Einstellung: %2</translation>
    </message>
    <message>
        <source>There is no question yet. Write one here or ask one in the conversation.</source>
        <translation>Es gibt noch keine Frage. Schreiben Sie hier eine oder stellen Sie eine im Gespräch.</translation>
    </message>
    <message>
        <source>Attention matching, current head budgets</source>
        <translation>Attention Matching, aktuelle Kopfbudgets</translation>
    </message>
    <message>
        <source>Attention matching, equal heads</source>
        <translation>Attention Matching, alle Köpfe gleich</translation>
    </message>
    <message>
        <source>Evict the most similar keys</source>
        <translation>Die ähnlichsten Schlüssel verdrängen</translation>
    </message>
    <message>
        <source>Keep keys with low norms</source>
        <translation>Schlüssel mit niedriger Norm behalten</translation>
    </message>
    <message>
        <source>Keep keys with high norms</source>
        <translation>Schlüssel mit hoher Norm behalten</translation>
    </message>
    <message>
        <source>Keep only the newest</source>
        <translation>Nur die neuesten behalten</translation>
    </message>
    <message>
        <source>Keep random tokens (baseline)</source>
        <translation>Zufällige Token behalten (Vergleich)</translation>
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
        <source>too few tokens in common</source>
        <translation>zu wenige gemeinsame Token</translation>
    </message>
    <message>
        <source>reading it is predicted to be slower than computing</source>
        <translation>das Lesen ist voraussichtlich langsamer als das Rechnen</translation>
    </message>
    <message>
        <source>reading %1, computing %2</source>
        <translation>Lesen %1, Rechnen %2</translation>
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
        <source>from its own cache</source>
        <translation>aus dem eigenen Cache</translation>
    </message>
    <message>
        <source>the start of a longer text</source>
        <translation>der Anfang eines längeren Textes</translation>
    </message>
    <message>
        <source>a text that continues differently</source>
        <translation>ein Text, der anders weitergeht</translation>
    </message>
    <message>
        <source>a shorter text that is its prefix</source>
        <translation>ein kürzerer Text, der sein Präfix ist</translation>
    </message>
    <message>
        <source>no stored text shares a prefix</source>
        <translation>kein gespeicherter Text hat ein gemeinsames Präfix</translation>
    </message>
    <message>
        <source>it is damaged or missing, or there was not enough memory</source>
        <translation>es ist beschädigt oder fehlt, oder der Speicher reichte nicht</translation>
    </message>
    <message>
        <source>reading or computing has not been timed yet</source>
        <translation>Lesen oder Rechnen wurde noch nicht gemessen</translation>
    </message>
    <message>
        <source>Last decision: %1; predicted: %2.</source>
        <translation>Letzte Entscheidung: %1; vorhergesagt: %2.</translation>
    </message>
    <message>
        <source>%1 waiting to be written.</source>
        <translation>%1 warten aufs Schreiben.</translation>
    </message>
    <message>
        <source>%1 damaged pages were quarantined.</source>
        <translation>%1 beschädigte Seiten sind in Quarantäne.</translation>
    </message>
    <message>
        <source>from a prefix entry: %1</source>
        <translation>aus einem Präfix-Eintrag: %1</translation>
    </message>
    <message>
        <source>the conversation&apos;s own cache covers as many tokens</source>
        <translation>der eigene Cache des Gesprächs deckt ebenso viele Token ab</translation>
    </message>
    <message>
        <source>the stored cache cannot be rolled back that far</source>
        <translation>der gespeicherte Cache lässt sich nicht so weit zurücksetzen</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelController</name>
    <message>
        <source>The model is being loaded.</source>
        <translation>Das Modell wird geladen.</translation>
    </message>
    <message>
        <source>Load a model first.</source>
        <translation>Laden Sie zuerst ein Modell.</translation>
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
        <source>The bundled model was not found in %1. Load another one.</source>
        <translation>Das mitgelieferte Modell wurde in %1 nicht gefunden. Laden Sie ein anderes.</translation>
    </message>
    <message>
        <source>%1 The previous model stays loaded.</source>
        <translation>%1 Das vorige Modell bleibt geladen.</translation>
    </message>
    <message>
        <source>Its surrogate, which predicts which tokens are needed, was fitted in %1 s.</source>
        <translation>Sein Ersatz, der vorhersagt, welche Token gebraucht werden, wurde in %1 s angepasst.</translation>
    </message>
    <message>
        <source>It has a surrogate, which predicts which tokens are needed.</source>
        <translation>Es hat einen Ersatz, der vorhersagt, welche Token gebraucht werden.</translation>
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
        <source>Written to %1, %2.</source>
        <translation>Nach %1 geschrieben, %2.</translation>
    </message>
    <message>
        <source>Done. It takes effect when the model is loaded again.</source>
        <translation>Fertig. Wirksam, sobald das Modell neu geladen ist.</translation>
    </message>
    <message>
        <source>Stopped; nothing was saved.</source>
        <translation>Angehalten; nichts wurde gespeichert.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ModelLibrary</name>
    <message>
        <source>%1 layers x %2</source>
        <translation>%1 Schichten x %2</translation>
    </message>
    <message>
        <source>%1 cannot be deleted.</source>
        <translation>%1 lässt sich nicht löschen.</translation>
    </message>
    <message>
        <source>It no longer exists.</source>
        <translation>Es ist nicht mehr vorhanden.</translation>
    </message>
    <message>
        <source>%1 is not in the download folder and cannot be deleted here.</source>
        <translation>%1 liegt nicht im Download-Ordner und kann hier nicht gelöscht werden.</translation>
    </message>
    <message>
        <source>%1 was not loaded, because the program ended while loading it last time. Load it from the Models page.</source>
        <translation>%1 wurde nicht geladen, weil das Programm beim letzten Laden endete. Laden Sie es auf der Seite „Modelle“.</translation>
    </message>
    <message>
        <source>%1 was not loaded because it no longer exists. The bundled model is used instead.</source>
        <translation>%1 wurde nicht geladen, weil es nicht mehr vorhanden ist. Stattdessen wird das mitgelieferte Modell verwendet.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ProfileController</name>
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
        <source>Not measured on this model.</source>
        <translation>Auf diesem Modell nicht gemessen.</translation>
    </message>
    <message>
        <source>A profile needs a name.</source>
        <translation>Ein Profil braucht einen Namen.</translation>
    </message>
    <message>
        <source>There is no profile %1.</source>
        <translation>Es gibt kein Profil %1.</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1 bits per number</source>
        <translation>%1 Bit je Zahl</translation>
    </message>
    <message>
        <source>otherwise not measured on this model</source>
        <translation>sonst auf diesem Modell nicht gemessen</translation>
    </message>
    <message>
        <source>Load a model first, because the settings depend on it.</source>
        <translation>Laden Sie zuerst ein Modell, weil die Einstellungen davon abhängen.</translation>
    </message>
    <message>
        <source>Your own profile.</source>
        <translation>Ihr eigenes Profil.</translation>
    </message>
    <message>
        <source>Your own profile, saved with %1.</source>
        <translation>Ihr eigenes Profil, gespeichert mit %1.</translation>
    </message>
    <message>
        <source>A name has at most %1 characters.</source>
        <translation>Ein Name hat höchstens %1 Zeichen.</translation>
    </message>
    <message>
        <source>%1 is a built-in profile; choose another name.</source>
        <translation>%1 ist ein eingebautes Profil; wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>A profile %1 already exists.</source>
        <translation>Ein Profil %1 gibt es bereits.</translation>
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
        <source>none</source>
        <translation>keiner</translation>
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
        <source>The stored small quality table of this model cannot be used: %1.</source>
        <translation>Die gespeicherte kleine Qualitätstabelle dieses Modells ist nicht verwendbar: %1.</translation>
    </message>
    <message>
        <source>The stored full quality table of this model cannot be used: %1.</source>
        <translation>Die gespeicherte vollständige Qualitätstabelle dieses Modells ist nicht verwendbar: %1.</translation>
    </message>
    <message>
        <source>The stored table of cache formats of this model cannot be used: %1.</source>
        <translation>Die gespeicherte Tabelle der Cache-Formate dieses Modells ist nicht verwendbar: %1.</translation>
    </message>
    <message>
        <source>No loss: this is the 16-bit reference.</source>
        <translation>Kein Verlust: Dies ist die 16-Bit-Referenz.</translation>
    </message>
    <message>
        <source>Loss not measured, and too few other formats are measured to predict it. Squared error of the codes: keys %1, values %2.</source>
        <translation>Verlust nicht gemessen, und zu wenige andere Formate sind gemessen, um ihn vorherzusagen. Quadratischer Fehler der Codes: Schlüssel %1, Werte %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RecordingController</name>
    <message>
        <source>Replayed: diverged at token %1 of answer %2.</source>
        <translation>Wiederholt: abgewichen bei Token %1 der Antwort %2.</translation>
    </message>
    <message>
        <source>%1 cannot be opened: %2</source>
        <translation>%1 lässt sich nicht öffnen: %2</translation>
    </message>
    <message>
        <source>The replay was stopped.</source>
        <translation>Die Wiederholung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Replayed: identical, %1 answers with %2 tokens.</source>
        <translation>Wiederholt: identisch, %1 Antworten mit %2 Token.</translation>
    </message>
    <message>
        <source>Recorded: “%1”, replayed: “%2”.</source>
        <translation>Aufgezeichnet: „%1“, wiederholt: „%2“.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteAttachment</name>
    <message>
        <source>Disconnected from %1</source>
        <translation>Von %1 getrennt</translation>
    </message>
    <message>
        <source>%1 answered (%2)</source>
        <translation>%1 hat geantwortet (%2)</translation>
    </message>
    <message>
        <source>Answers now come from %1. Disconnect to use the local engine.</source>
        <translation>Antworten kommen jetzt von %1. Trennen Sie die Verbindung, um die lokale Engine zu benutzen.</translation>
    </message>
    <message>
        <source>Answers now come from %1 at %2</source>
        <translation>Antworten kommen jetzt von %1 unter %2</translation>
    </message>
    <message>
        <source>Question sent to %1</source>
        <translation>Frage an %1 gesendet</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteChat</name>
    <message>
        <source>The answer has more than %1 of text and was ended here.</source>
        <translation>Die Antwort hat mehr als %1 Text und wurde hier beendet.</translation>
    </message>
    <message>
        <source>it is larger than %1.</source>
        <translation>sie ist größer als %1.</translation>
    </message>
    <message>
        <source>an event is larger than %1.</source>
        <translation>ein Ereignis ist größer als %1.</translation>
    </message>
    <message>
        <source>it contains no text in more than %1.</source>
        <translation>sie enthält in mehr als %1 keinen Text.</translation>
    </message>
    <message>
        <source>The engine cancelled the answer: “%1”</source>
        <translation>Die Engine hat die Antwort abgebrochen: „%1“</translation>
    </message>
    <message>
        <source>The stream ended before the answer was complete.</source>
        <translation>Der Strom endete, bevor die Antwort vollständig war.</translation>
    </message>
    <message>
        <source>The engine reports that the answer failed.</source>
        <translation>Die Engine meldet, dass die Antwort gescheitert ist.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteClient</name>
    <message>
        <source>it is larger than %1.</source>
        <translation>sie ist größer als %1.</translation>
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
        <source>The key is sent over the network unencrypted (http).</source>
        <translation>Der Schlüssel wird unverschlüsselt über das Netz gesendet (http).</translation>
    </message>
    <message>
        <source>It offers no metrics, so the charts stay empty.</source>
        <translation>Sie bietet keine Kennzahlen, die Diagramme bleiben daher leer.</translation>
    </message>
    <message>
        <source>Its metrics cannot be read, so the charts stay empty.</source>
        <translation>Ihre Kennzahlen sind nicht lesbar, die Diagramme bleiben daher leer.</translation>
    </message>
    <message>
        <source>None of its metrics are known here.</source>
        <translation>Keine ihrer Kennzahlen ist hier bekannt.</translation>
    </message>
    <message>
        <source>Its metrics are those of %1: %2 values.</source>
        <translation>Ihre Kennzahlen sind die von %1: %2 Werte.</translation>
    </message>
    <message>
        <source>Answers now come from %1.</source>
        <translation>Antworten kommen jetzt von %1.</translation>
    </message>
    <message>
        <source>This engine is not in the list.</source>
        <translation>Diese Engine steht nicht in der Liste.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteExchange</name>
    <message>
        <source>The answer was not complete after %1 s.</source>
        <translation>Die Antwort war nach %1 s nicht vollständig.</translation>
    </message>
    <message>
        <source>it is not HTTP/1.1.</source>
        <translation>sie ist kein HTTP/1.1.</translation>
    </message>
    <message>
        <source>Nothing arrived for %1 s before the answer was complete.</source>
        <translation>%1 s lang kam nichts an, bevor die Antwort vollständig war.</translation>
    </message>
    <message>
        <source>its header is larger than %1.</source>
        <translation>ihr Kopf ist größer als %1.</translation>
    </message>
    <message>
        <source>it is compressed, which was not requested.</source>
        <translation>sie ist komprimiert, was nicht verlangt war.</translation>
    </message>
    <message>
        <source>it has two content lengths.</source>
        <translation>sie hat zwei Längenangaben.</translation>
    </message>
    <message>
        <source>its content length is invalid.</source>
        <translation>ihre Längenangabe ist ungültig.</translation>
    </message>
    <message>
        <source>the lengths of its chunks are invalid.</source>
        <translation>die Längen ihrer Teile sind ungültig.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::RemoteMonitor</name>
    <message>
        <source>It offers no metrics: %1</source>
        <translation>Sie bietet keine Kennzahlen: %1</translation>
    </message>
    <message>
        <source>Its metrics cannot be read: %1</source>
        <translation>Ihre Kennzahlen sind nicht lesbar: %1</translation>
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
        <source>The keyring was not unlocked.</source>
        <translation>Der Schlüsselbund wurde nicht entsperrt.</translation>
    </message>
    <message>
        <source>The keyring has no collection yet.</source>
        <translation>Der Schlüsselbund hat noch keine Sammlung.</translation>
    </message>
    <message>
        <source>The keyring reports: %1.</source>
        <translation>Der Schlüsselbund meldet: %1.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::ServerController</name>
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
    <message>
        <source>This program was built without the server.</source>
        <translation>Dieses Programm wurde ohne den Server gebaut.</translation>
    </message>
    <message>
        <source>The settings of the server were not saved: %1</source>
        <translation>Die Einstellungen des Servers wurden nicht gespeichert: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::app::SessionFeed</name>
    <message>
        <source>budget</source>
        <translation>Budget</translation>
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
        <source>Settings %1 not applied: %2</source>
        <translation>Einstellungen %1 nicht angewandt: %2</translation>
    </message>
    <message>
        <source>The cache stays in %1: %2.</source>
        <translation>Der Cache bleibt in %1: %2.</translation>
    </message>
    <message>
        <source>%1 done in %2: %3 to %4 slots in all heads</source>
        <translation>%1 in %2 fertig: %3 auf %4 Slots in allen Köpfen</translation>
    </message>
    <message>
        <source>%1 cancelled: %2</source>
        <translation>%1 abgebrochen: %2</translation>
    </message>
    <message>
        <source>%1 of the text&apos;s information kept; weakest passage %2.</source>
        <translation>%1 der Information des Textes erhalten; schwächste Passage %2.</translation>
    </message>
    <message>
        <source>Pause %1, work %2.</source>
        <translation>Pause %1, Arbeit %2.</translation>
    </message>
    <message>
        <source>This report has no token times; answers are shown in proportion to their tokens.</source>
        <translation>Dieser Bericht enthält keine Zeiten der Token; Antworten werden anteilig nach Token gezeigt.</translation>
    </message>
    <message>
        <source>It has no cache contents; words are not tinted.</source>
        <translation>Er enthält keinen Cache-Inhalt; Wörter sind nicht getönt.</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>von Hand</translation>
    </message>
    <message>
        <source>%1 limited: %2x requested, %3x achieved</source>
        <translation>%1 begrenzt: %2x verlangt, %3x erreicht</translation>
    </message>
    <message>
        <source>%1 done in the background in %2, pause %3: %4 to %5 slots in all heads</source>
        <translation>%1 im Hintergrund in %2 fertig, Pause %3: %4 auf %5 Slots in allen Köpfen</translation>
    </message>
    <message>
        <source>Until it ends, the cache holds %1 in %2 slots of all heads; the result will appear under the same number.</source>
        <translation>Bis zum Ende hält der Cache %1 in %2 Slots aller Köpfe; das Ergebnis erscheint unter derselben Nummer.</translation>
    </message>
    <message>
        <source>Reading for queries %1.</source>
        <translation>Lesen für Abfragen %1.</translation>
    </message>
    <message>
        <source>Requested %1x, achieved %2x.</source>
        <translation>Verlangt %1x, erreicht %2x.</translation>
    </message>
    <message>
        <source>KL mean %1, p99 %2 nats; same most likely token at %3 of positions.</source>
        <translation>KL im Mittel %1, p99 %2 Nats; gleiches wahrscheinlichstes Token an %3 der Positionen.</translation>
    </message>
    <message>
        <source>Compression off: no method is chosen. Changing the AM ratio or the budget turns it on.</source>
        <translation>Kompression aus: keine Methode gewählt. Ändern von AM-Verhältnis oder Budget schaltet sie ein.</translation>
    </message>
    <message>
        <source>one conversation now has its own cache settings</source>
        <translation>ein Gespräch hat jetzt eigene Cache-Einstellungen</translation>
    </message>
    <message>
        <source>one conversation uses the shared cache settings again</source>
        <translation>ein Gespräch verwendet wieder die gemeinsamen Cache-Einstellungen</translation>
    </message>
    <message>
        <source>It starts from the prefix cache.</source>
        <translation>Sie beginnt aus dem Präfix-Cache.</translation>
    </message>
    <message>
        <source>A queued question was cancelled</source>
        <translation>Eine wartende Frage wurde abgebrochen</translation>
    </message>
    <message>
        <source>The cache changed from %1 to %2.</source>
        <translation>Der Cache wechselte von %1 zu %2.</translation>
    </message>
    <message>
        <source>tokens restored</source>
        <translation>Token wiederhergestellt</translation>
    </message>
    <message>
        <source>The tokens this question needs were not restored: %1</source>
        <translation>Die Token, die diese Frage braucht, wurden nicht wiederhergestellt: %1</translation>
    </message>
    <message>
        <source>This question needs no evicted tokens (%1)</source>
        <translation>Diese Frage braucht keine verdrängten Token (%1)</translation>
    </message>
    <message>
        <source>This question needs %1 evicted tokens.</source>
        <translation>Diese Frage braucht %1 verdrängte Token.</translation>
    </message>
    <message>
        <source>%1 tokens restored for this question in %2. Compactions now keep %3 tokens of this conversation (%4) unchanged.</source>
        <translation>%1 Token in %2 für diese Frage wiederhergestellt. Verdichtungen lassen nun %3 Token dieses Gesprächs (%4) unverändert.</translation>
    </message>
    <message>
        <source>Not restored: %1</source>
        <translation>Nicht wiederhergestellt: %1</translation>
    </message>
    <message>
        <source>Restoring %1 tokens; %2 tokens of the text are read again.</source>
        <translation>%1 Token werden wiederhergestellt; %2 Token des Textes werden neu gelesen.</translation>
    </message>
    <message>
        <source>Restored %1 tokens in %2; %3 were read again. Compactions now keep %4 tokens of this conversation (%5) unchanged.</source>
        <translation>%1 Token in %2 wiederhergestellt; %3 wurden neu gelesen. Verdichtungen lassen jetzt %4 Token dieses Gesprächs (%5) unverändert.</translation>
    </message>
</context>
<context>
    <name>lacuna::app::TextFiles</name>
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
        <source>Reading %1 was cancelled.</source>
        <translation>Das Lesen von %1 wurde abgebrochen.</translation>
    </message>
    <message>
        <source>%1 was not read, because the PDF reader cannot be started: %2.</source>
        <translation>%1 wurde nicht gelesen, weil der PDF-Leser nicht gestartet werden kann: %2.</translation>
    </message>
    <message>
        <source>%1 has no text: its pages (%2) are scanned pictures. Run text recognition first, for example with ocrmypdf.</source>
        <translation>%1 hat keinen Text: Seine Seiten (%2) sind gescannte Bilder. Führen Sie zuerst eine Texterkennung durch, zum Beispiel mit ocrmypdf.</translation>
    </message>
    <message>
        <source>%1 cannot be read: it is damaged or not a PDF.</source>
        <translation>%1 kann nicht gelesen werden: Die Datei ist beschädigt oder kein PDF.</translation>
    </message>
    <message>
        <source>%1 needs a password. Save a copy without a password first.</source>
        <translation>%1 braucht ein Passwort. Speichern Sie zuerst eine Kopie ohne Passwort.</translation>
    </message>
    <message>
        <source>%1 has more than %2 characters of text, the most that can be attached.</source>
        <translation>%1 hat mehr als %2 Zeichen Text; mehr kann nicht angehängt werden.</translation>
    </message>
    <message>
        <source>%1 was not read: it took longer than %2 s.</source>
        <translation>%1 wurde nicht gelesen: Es dauerte länger als %2 s.</translation>
    </message>
    <message>
        <source>%1 was not read: it needs more than %2 s of processor time.</source>
        <translation>%1 wurde nicht gelesen: Es braucht mehr als %2 s Prozessorzeit.</translation>
    </message>
    <message>
        <source>%1 was not read: it needs more than %2 of memory.</source>
        <translation>%1 wurde nicht gelesen: Es braucht mehr als %2 Speicher.</translation>
    </message>
    <message>
        <source>%1 was not read: it crashes the PDF reader. The file is damaged or malicious.</source>
        <translation>%1 wurde nicht gelesen: Die Datei bringt den PDF-Leser zum Absturz. Sie ist beschädigt oder bösartig.</translation>
    </message>
    <message>
        <source>%1 of the %2 pages of %3 are pictures without text and were skipped.</source>
        <translation>%1 der %2 Seiten von %3 sind Bilder ohne Text und wurden übersprungen.</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 gibt es nicht.</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 or UTF-16 text.</source>
        <translation>%1 ist kein Text in UTF-8 oder UTF-16.</translation>
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
    <message>
        <source>&amp;Conversation</source>
        <translation>&amp;Gespräch</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AnswerAlert</name>
    <message>
        <source>Answer finished</source>
        <translation>Antwort fertig</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::AttachmentController</name>
    <message>
        <source>Open the session</source>
        <translation>Sitzung öffnen</translation>
    </message>
    <message>
        <source>Attach as text</source>
        <translation>Als Text anhängen</translation>
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
    <message>
        <source>%1 is a session report.</source>
        <translation>%1 ist ein Sitzungsbericht.</translation>
    </message>
    <message>
        <source>Too long: about %1 tokens, but the context has room for %2.</source>
        <translation>Zu lang: etwa %1 Token, aber der Kontext hat nur Platz für %2.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::BranchSwitch</name>
    <message>
        <source>Show the next branch (Alt+Right)</source>
        <translation>Den nächsten Zweig zeigen (Alt+Rechts)</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Show the previous branch (Alt+Left)</source>
        <translation>Den vorigen Zweig zeigen (Alt+Links)</translation>
    </message>
    <message>
        <source>Branch %1 of %2. Edited and regenerated messages are kept as branches.</source>
        <translation>Zweig %1 von %2. Bearbeitete und neu beantwortete Nachrichten bleiben als Zweige erhalten.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheFormatPanel</name>
    <message>
        <source>Cancel the change</source>
        <translation>Wechsel abbrechen</translation>
    </message>
    <message>
        <source>The cache is converted from %1 to %2 between steps; %3 of its rows are done.</source>
        <translation>Der Cache wird zwischen Schritten von %1 in %2 umgewandelt; %3 seiner Zeilen sind fertig.</translation>
    </message>
    <message>
        <source>Rows converted</source>
        <translation>Umgewandelte Zeilen</translation>
    </message>
    <message>
        <source>Back to %1. The cache keeps its format until all of its rows are converted, so nothing is lost.</source>
        <translation>Zurück zu %1. Der Cache behält sein Format, bis alle seine Zeilen umgewandelt sind, also geht nichts verloren.</translation>
    </message>
    <message>
        <source>The previous format was not chosen by settings, so there is no format to return to.</source>
        <translation>Das vorige Format wurde nicht durch Einstellungen gewählt, daher gibt es kein Format, zu dem man zurückkehren könnte.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::CacheStatePanel</name>
    <message>
        <source>State of this cache</source>
        <translation>Zustand dieses Caches</translation>
    </message>
    <message>
        <source>This cache: empty</source>
        <translation>Dieser Cache: leer</translation>
    </message>
    <message>
        <source>This cache: %1 smaller</source>
        <translation>Dieser Cache: %1 kleiner</translation>
    </message>
    <message>
        <source>This cache: full</source>
        <translation>Dieser Cache: voll</translation>
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
    <name>lacuna::ui::ComparePage</name>
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
        <source>Question for both sides</source>
        <translation>Frage für beide Seiten</translation>
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
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Use %1&apos;s settings</source>
        <translation>Einstellungen von %1 nehmen</translation>
    </message>
    <message>
        <source>The last question of the conversation. Type another one to ask it instead.</source>
        <translation>Die letzte Frage des Gesprächs. Eine andere eingeben, um stattdessen diese zu stellen.</translation>
    </message>
    <message>
        <source>Answers one question under A, then under B. Cost and loss appear here at the end.</source>
        <translation>Beantwortet eine Frage unter A, dann unter B. Kosten und Verlust erscheinen am Ende hier.</translation>
    </message>
    <message>
        <source>Cost and loss</source>
        <translation>Kosten und Verlust</translation>
    </message>
    <message>
        <source>Apply the method, ratio, budget and cache type of this side to the conversations of the window.</source>
        <translation>Methode, Verhältnis, Budget und Cache-Typ dieser Seite auf die Gespräche des Fensters anwenden.</translation>
    </message>
    <message>
        <source>A answers first, then B. The results appear when both are done.</source>
        <translation>Erst antwortet A, dann B. Die Ergebnisse erscheinen, wenn beide fertig sind.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextFullDialog</name>
    <message>
        <source>The context is full</source>
        <translation>Der Kontext ist voll</translation>
    </message>
    <message>
        <source>Raise the context to %1 tokens</source>
        <translation>Kontext auf %1 Token vergrößern</translation>
    </message>
    <message>
        <source>New conversation with the newer half</source>
        <translation>Neues Gespräch mit der neueren Hälfte</translation>
    </message>
    <message>
        <source>Continue without the older half</source>
        <translation>Ohne die ältere Hälfte fortsetzen</translation>
    </message>
    <message>
        <source>Whenever the cache is full, its oldest tokens are dropped, except the first few; the page still shows them. Compression is turned off.</source>
        <translation>Ist der Cache voll, fallen die ältesten Token bis auf die ersten paar weg; die Seite zeigt sie weiter. Die Kompression wird ausgeschaltet.</translation>
    </message>
    <message>
        <source>The largest context this model was trained for. Nothing is dropped; the cache grows with the text.</source>
        <translation>Der größte Kontext, für den das Modell trainiert ist. Nichts fällt weg; der Cache wächst mit dem Text.</translation>
    </message>
    <message>
        <source>The older messages stay in this conversation; in the new one the model does not see them.</source>
        <translation>Die älteren Nachrichten bleiben in diesem Gespräch; im neuen sieht das Modell sie nicht.</translation>
    </message>
    <message>
        <source>Compaction does not help here: it saves memory, but the context limit counts the tokens of the text.</source>
        <translation>Verdichten hilft hier nicht: Es spart Speicher, aber die Kontextgrenze zählt die Token des Textes.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ContextMeter</name>
    <message>
        <source>Context meter</source>
        <translation>Kontextanzeige</translation>
    </message>
    <message>
        <source>Context in use. Dark: slots after compaction, mean over all heads. Thin line: prompt read so far.</source>
        <translation>Belegter Kontext. Dunkel: Slots nach der Verdichtung, Mittel über alle Köpfe. Dünne Linie: bisher gelesener Prompt.</translation>
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
        <source>, held in %1 slots per head</source>
        <translation>, gehalten in %1 Slots je Kopf</translation>
    </message>
    <message>
        <source>, held in %1 slots per head (largest %2)</source>
        <translation>, gehalten in %1 Slots je Kopf (größter %2)</translation>
    </message>
    <message>
        <source>%1 (%2, %3) is answering; local cache settings have no effect.</source>
        <translation>%1 (%2, %3) antwortet; lokale Cache-Einstellungen haben keine Wirkung.</translation>
    </message>
    <message>
        <source>Waiting for the first token</source>
        <translation>Warten auf das erste Token</translation>
    </message>
    <message>
        <source>Writing, engine total %1 tok/s</source>
        <translation>Schreibt, Engine gesamt %1 Tok/s</translation>
    </message>
    <message>
        <source>Compacting</source>
        <translation>Verdichtet</translation>
    </message>
    <message>
        <source>Changing the cache format</source>
        <translation>Ändert das Cache-Format</translation>
    </message>
    <message>
        <source>Estimating a compaction</source>
        <translation>Schätzt eine Verdichtung</translation>
    </message>
    <message>
        <source>Trying ratios</source>
        <translation>Probiert Verhältnisse</translation>
    </message>
    <message>
        <source>Comparing settings</source>
        <translation>Vergleicht Einstellungen</translation>
    </message>
    <message>
        <source>Sweeping settings</source>
        <translation>Führt eine Messreihe durch</translation>
    </message>
    <message>
        <source>Measuring quality</source>
        <translation>Misst die Qualität</translation>
    </message>
    <message>
        <source>Calibrating rotations</source>
        <translation>Kalibriert Rotationen</translation>
    </message>
    <message>
        <source>Measuring heads</source>
        <translation>Misst Köpfe</translation>
    </message>
    <message>
        <source>Measuring the precision</source>
        <translation>Misst die Genauigkeit</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ConversationExporter</name>
    <message>
        <source>Markdown...</source>
        <translation>Markdown ...</translation>
    </message>
    <message>
        <source>JSON...</source>
        <translation>JSON ...</translation>
    </message>
    <message>
        <source>Web page...</source>
        <translation>Webseite ...</translation>
    </message>
    <message>
        <source>Save this conversation as a Markdown file.</source>
        <translation>Diese Unterhaltung als Markdown-Datei speichern.</translation>
    </message>
    <message>
        <source>Save this conversation as JSON, with every branch.</source>
        <translation>Diese Unterhaltung mit allen Zweigen als JSON speichern.</translation>
    </message>
    <message>
        <source>Save this conversation as a web page in one file.</source>
        <translation>Diese Unterhaltung als Webseite in einer Datei speichern.</translation>
    </message>
    <message>
        <source>Export conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>This conversation is empty.</source>
        <translation>Diese Unterhaltung ist leer.</translation>
    </message>
    <message>
        <source>Conversation exported to %1.</source>
        <translation>Unterhaltung exportiert nach %1.</translation>
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
        <source>What now?</source>
        <translation>Was nun?</translation>
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
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Go to the next step when this one is done.</source>
        <translation>Zum nächsten Schritt, wenn dieser fertig ist.</translation>
    </message>
    <message>
        <source>Ways to continue: chat, load a model, tune.</source>
        <translation>Wie es weitergeht: chatten, ein Modell laden, abstimmen.</translation>
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
        <source>%1 of %2, %3 texts</source>
        <translation>%1 von %2, %3 Texte</translation>
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
        <source>8 bits</source>
        <translation>8 Bit</translation>
    </message>
    <message>
        <source>exact, bit for bit</source>
        <translation>genau, Bit für Bit</translation>
    </message>
    <message>
        <source>%1 of %2, %3 pages</source>
        <translation>%1 von %2, %3 Seiten</translation>
    </message>
    <message>
        <source>Off: nothing is stored. Set a limit to turn it on.</source>
        <translation>Aus: Nichts wird gespeichert. Eine Grenze schaltet es ein.</translation>
    </message>
    <message>
        <source>Nothing has been stored in this run yet.</source>
        <translation>In diesem Lauf wurde noch nichts gespeichert.</translation>
    </message>
    <message>
        <source>Not used in this run yet.</source>
        <translation>In diesem Lauf noch nicht benutzt.</translation>
    </message>
    <message>
        <source>The only lookup so far was a miss.</source>
        <translation>Die bisher einzige Suche war erfolglos.</translation>
    </message>
    <message>
        <source>All %1 lookups were misses.</source>
        <translation>Alle %1 Suchen waren erfolglos.</translation>
    </message>
    <message>
        <source>%1 of %2 lookups were hits: %3 tokens, about %4 saved</source>
        <translation>%1 von %2 Suchen waren Treffer: %3 Token, etwa %4 gespart</translation>
    </message>
    <message>
        <source>Clear what is stored here, after %1 seconds during which you can undo it. Conversations keep their own caches.</source>
        <translation>Das hier Gespeicherte nach %1 Sekunden leeren, in denen es sich rückgängig machen lässt. Gespräche behalten ihre eigenen Caches.</translation>
    </message>
    <message>
        <source>Clear the prefix cache in memory</source>
        <translation>Präfix-Cache im Speicher leeren</translation>
    </message>
    <message>
        <source>Clear the prefix cache on disk</source>
        <translation>Präfix-Cache auf der Platte leeren</translation>
    </message>
    <message>
        <source>small: transform or 8 bits</source>
        <translation>klein: kalibriert oder 8 Bit</translation>
    </message>
    <message>
        <source>Precision of pages written from now on, by every program that shares the folder. An answer that continues from rounded rows can differ from one computed from exact rows.</source>
        <translation>Genauigkeit der von jetzt an geschriebenen Seiten, bei jedem Programm, das den Ordner teilt. Eine Antwort, die von gerundeten Zeilen fortsetzt, kann anders sein als eine aus exakten Zeilen.</translation>
    </message>
    <message>
        <source>Precision of rows on disk</source>
        <translation>Genauigkeit der Zeilen auf der Platte</translation>
    </message>
    <message>
        <source>Rows stored</source>
        <translation>Zeilen gespeichert</translation>
    </message>
    <message>
        <source>Fill level</source>
        <translation>Füllstand</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::DownloadPage</name>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
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
        <source>OWNER/NAME or https://...</source>
        <translation>BESITZER/NAME oder https://...</translation>
    </message>
    <message>
        <source>Look up</source>
        <translation>Nachsehen</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
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
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Remove...</source>
        <translation>Entfernen...</translation>
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
        <source>reading the partial file</source>
        <translation>liest die Teildatei</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>vollständig</translation>
    </message>
    <message>
        <source>OWNER/NAME on the hub, or the address of a file. Nothing is sent before you press Look up.</source>
        <translation>BESITZER/NAME beim Hub oder die Adresse einer Datei. Gesendet wird erst, wenn Sie „Nachsehen“ drücken.</translation>
    </message>
    <message>
        <source>List the models of the repository.</source>
        <translation>Die Modelle des Repositorys auflisten.</translation>
    </message>
    <message>
        <source>Address of the hub or of a mirror. Empty: the default hub.</source>
        <translation>Adresse des Hubs oder eines Spiegels. Leer: der übliche Hub.</translation>
    </message>
    <message>
        <source>Access token of your hub account, for models with restricted access. It is sent only to the hub, kept until this window closes and never saved.</source>
        <translation>Zugriffstoken Ihres Kontos beim Hub, für Modelle mit beschränktem Zugang. Es geht nur an den Hub, bleibt bis zum Schließen dieses Fensters und wird nie gespeichert.</translation>
    </message>
    <message>
        <source>only for restricted models</source>
        <translation>nur für beschränkte Modelle</translation>
    </message>
    <message>
        <source>Where models are saved.</source>
        <translation>Ordner, in den Modelle gespeichert werden.</translation>
    </message>
    <message>
        <source>Also download unencrypted from other machines. Anyone on the network path can read and change the data, so enter a digest.</source>
        <translation>Auch unverschlüsselt von anderen Rechnern herunterladen. Jeder auf dem Netzweg kann die Daten lesen und ändern; geben Sie daher eine Prüfsumme an.</translation>
    </message>
    <message>
        <source>Models of a repository appear here after a lookup.</source>
        <translation>Modelle eines Repositorys erscheinen hier nach dem Nachsehen.</translation>
    </message>
    <message>
        <source>as shown on the hub</source>
        <translation>wie beim Hub angegeben</translation>
    </message>
    <message>
        <source>SHA-256 digest the file must have, 64 digits, if you know it.</source>
        <translation>SHA-256-Prüfsumme, die die Datei haben muss, 64 Zeichen, falls bekannt.</translation>
    </message>
    <message>
        <source>Downloads and their progress appear here.</source>
        <translation>Downloads und ihr Fortschritt erscheinen hier.</translation>
    </message>
    <message>
        <source>Selected download</source>
        <translation>Gewählter Download</translation>
    </message>
    <message>
        <source>Keeps the downloaded part.</source>
        <translation>Behält den heruntergeladenen Teil.</translation>
    </message>
    <message>
        <source>Continues where it stopped if that is safe.</source>
        <translation>Macht weiter, wo er aufhörte, falls das sicher ist.</translation>
    </message>
    <message>
        <source>Removes it from this list and deletes the partial file of an unfinished download.</source>
        <translation>Entfernt ihn von dieser Liste und löscht die Teildatei eines unfertigen Downloads.</translation>
    </message>
    <message>
        <source>Remove %1? The %2 downloaded so far are deleted.</source>
        <translation>%1 entfernen? Die bisher heruntergeladenen %2 werden gelöscht.</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>from the hub</source>
        <translation>vom Hub</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Looking up %1...</source>
        <translation>%1 wird nachgesehen...</translation>
    </message>
    <message>
        <source>%1: one model. Download fetches it.</source>
        <translation>%1: ein Modell, das „Herunterladen“ holt.</translation>
    </message>
    <message>
        <source>%1: Download fetches the selected model.</source>
        <translation>%1: „Herunterladen“ holt das gewählte Modell.</translation>
    </message>
    <message>
        <source>No connection is made until you look something up or resume a download.</source>
        <translation>Bevor Sie nachsehen oder einen Download fortsetzen, wird keine Verbindung aufgebaut.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ExportPage</name>
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
        <source>PDF</source>
        <translation>PDF</translation>
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
        <source>Writing...</source>
        <translation>Wird geschrieben...</translation>
    </message>
    <message>
        <source>Report written: %1 files in %2.</source>
        <translation>Bericht geschrieben: %1 Dateien in %2.</translation>
    </message>
    <message>
        <source>Replace existing files</source>
        <translation>Vorhandene Dateien ersetzen</translation>
    </message>
    <message>
        <source>JSON, complete</source>
        <translation>JSON, vollständig</translation>
    </message>
    <message>
        <source>Everything; can be opened here and replayed on any machine.</source>
        <translation>Alles; lässt sich hier öffnen und auf jedem Rechner wiederholen.</translation>
    </message>
    <message>
        <source>For printing and for readers without Lacuna.</source>
        <translation>Zum Drucken und für Leser ohne Lacuna.</translation>
    </message>
    <message>
        <source>Choose a folder for the report.</source>
        <translation>Wählen Sie einen Ordner für den Bericht.</translation>
    </message>
    <message>
        <source>A file with this name exists.</source>
        <translation>Eine Datei dieses Namens ist vorhanden.</translation>
    </message>
    <message>
        <source>Choose at least one document.</source>
        <translation>Wählen Sie mindestens ein Dokument.</translation>
    </message>
    <message>
        <source>This folder is not empty. Choose another, or allow replacing existing files.</source>
        <translation>Dieser Ordner ist nicht leer. Wählen Sie einen anderen, oder erlauben Sie, vorhandene Dateien zu ersetzen.</translation>
    </message>
    <message>
        <source>Existing files with the same names are replaced.</source>
        <translation>Vorhandene Dateien gleichen Namens werden ersetzt.</translation>
    </message>
    <message>
        <source>The folder will be created.</source>
        <translation>Der Ordner wird angelegt.</translation>
    </message>
    <message>
        <source>Open an earlier report...</source>
        <translation>Früheren Bericht öffnen ...</translation>
    </message>
    <message>
        <source>Step through a recorded session in this window and run it again.</source>
        <translation>Eine aufgezeichnete Sitzung in diesem Fenster durchgehen und erneut ausführen.</translation>
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
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Find in this conversation</source>
        <translation>In diesem Gespräch suchen</translation>
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
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Other branch: %1</source>
        <translation>Anderer Zweig: %1</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>Voriger Treffer (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>Nächster Treffer (F3)</translation>
    </message>
    <message>
        <source>Enter goes to the next match, Shift+Enter to the previous one.</source>
        <translation>Eingabe geht zum nächsten Treffer, Umschalt+Eingabe zum vorigen.</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Matches: %1</source>
        <translation>Treffer: %1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::FormatPage</name>
    <message>
        <source>%1 (%2x)</source>
        <translation>%1 (%2x)</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>besteht</translation>
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
        <source>Mean KL</source>
        <translation>Mittlere KL</translation>
    </message>
    <message>
        <source>KL p99</source>
        <translation>KL p99</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Recall</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>Dasselbe beim 99. Perzentil der Positionen.</translation>
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
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
    </message>
    <message>
        <source>No format is known to pass.</source>
        <translation>Kein gemessenes Format besteht.</translation>
    </message>
    <message>
        <source>Choose a row first.</source>
        <translation>Wählen Sie zuerst eine Zeile.</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>%1 nehmen</translation>
    </message>
    <message>
        <source>%1 of %2 texts so far</source>
        <translation>bisher %1 von %2 Texten</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>gewählt</translation>
    </message>
    <message>
        <source>nothing saved in %1 short texts</source>
        <translation>in %1 kurzen Texten nichts gespart</translation>
    </message>
    <message>
        <source>%1 texts excluded</source>
        <translation>%1 Texte ausgelassen</translation>
    </message>
    <message>
        <source>Bits per number</source>
        <translation>Bits je Zahl</translation>
    </message>
    <message>
        <source>Bytes per token</source>
        <translation>Bytes je Token</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>Gleiches Top-Token</translation>
    </message>
    <message>
        <source>Tokens/s (vs. f16)</source>
        <translation>Token/s (zu f16)</translation>
    </message>
    <message>
        <source>Presets first, then other measured formats.</source>
        <translation>Erst Voreinstellungen, dann andere gemessene Formate.</translation>
    </message>
    <message>
        <source>t8 to t1: rotated codes of 8 to 1 bits. q8_0, q4_0: codes in groups.</source>
        <translation>t8 bis t1: rotierte Codes von 8 bis 1 Bit. q8_0, q4_0: Codes in Gruppen.</translation>
    </message>
    <message>
        <source>Live bits per stored number, scales and positions included.</source>
        <translation>Belegte Bits je gespeicherter Zahl, Skalen und Positionen eingerechnet.</translation>
    </message>
    <message>
        <source>Live bytes per token over all layers, mean over the texts.</source>
        <translation>Belegte Bytes je Token über alle Schichten, Mittel über die Texte.</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of the 16-bit cache, in nats, mean over running text.</source>
        <translation>Divergenz der Verteilung des nächsten Tokens von der des 16-Bit-Caches, in Nats, Mittel über laufenden Text.</translation>
    </message>
    <message>
        <source>Share of positions with the same most likely token.</source>
        <translation>Anteil der Positionen mit demselben wahrscheinlichsten Token.</translation>
    </message>
    <message>
        <source>Of the dialogues answered correctly with 16 bits, how many are also answered correctly with this format.</source>
        <translation>Wie viele der mit 16 Bit richtig beantworteten Dialoge auch mit diesem Format richtig beantwortet werden.</translation>
    </message>
    <message>
        <source>Decoding speed, median of rounds that alternate with 16 bits, and its ratio to 16 bits.</source>
        <translation>Decodiergeschwindigkeit, Median aus Runden im Wechsel mit 16 Bit, und ihr Verhältnis zu 16 Bit.</translation>
    </message>
    <message>
        <source>Why this model cannot use the format, or whether it is selected.</source>
        <translation>Warum das Modell das Format nicht nutzen kann, oder ob es gewählt ist.</translation>
    </message>
    <message>
        <source>%1 bytes per token allocated.</source>
        <translation>%1 Bytes je Token reserviert.</translation>
    </message>
    <message>
        <source>Copy the table as Markdown.</source>
        <translation>Die Tabelle als Markdown kopieren.</translation>
    </message>
    <message>
        <source>Table copied.</source>
        <translation>Tabelle kopiert.</translation>
    </message>
    <message>
        <source>1 to 8 bits as rotated codes, or 16 bits.</source>
        <translation>1 bis 8 Bit als rotierte Codes, oder 16 Bit.</translation>
    </message>
    <message>
        <source>%1 was sent to the engine; existing caches are converted between steps.</source>
        <translation>%1 wurde an die Engine gesendet; vorhandene Caches werden zwischen Schritten umgewandelt.</translation>
    </message>
    <message>
        <source>The smallest format that passes is known after measuring.</source>
        <translation>Das kleinste Format, das besteht, ist nach der Messung bekannt.</translation>
    </message>
    <message>
        <source>Store keys and values as %1 from now on.</source>
        <translation>Schlüssel und Werte von jetzt an als %1 speichern.</translation>
    </message>
    <message>
        <source>This format is already selected.</source>
        <translation>Dieses Format ist schon gewählt.</translation>
    </message>
    <message>
        <source>A custom format; every token is kept.</source>
        <translation>Ein eigenes Format; jedes Token bleibt erhalten.</translation>
    </message>
    <message>
        <source>Apply all settings of this preset.</source>
        <translation>Alle Einstellungen dieser Voreinstellung anwenden.</translation>
    </message>
    <message>
        <source>%1 for %2 tokens; with the selected format %3.</source>
        <translation>%1 für %2 Token; mit dem gewählten Format %3.</translation>
    </message>
    <message>
        <source>These bits are already selected.</source>
        <translation>Diese Bits sind schon gewählt.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Nothing has been measured for this model yet. Measure compares the formats while you go on.</source>
        <translation>Für dieses Modell wurde noch nichts gemessen. „Messen“ vergleicht die Formate, während Sie weiterarbeiten.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuardedApplication</name>
    <message>
        <source>Not enough memory for this action. Saved data is not affected.</source>
        <translation>Der Speicher reicht dafür nicht. Gespeicherte Daten sind nicht betroffen.</translation>
    </message>
    <message>
        <source>The action failed: %1</source>
        <translation>Die Aktion ist gescheitert: %1</translation>
    </message>
    <message>
        <source>The action failed.</source>
        <translation>Die Aktion ist gescheitert.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::GuidedDemo</name>
    <message>
        <source>loading the bundled model</source>
        <translation>das mitgelieferte Modell wird geladen</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>das Modell wird geladen</translation>
    </message>
    <message>
        <source>attention matching</source>
        <translation>Attention Matching</translation>
    </message>
    <message>
        <source>a new conversation; once the text is read, %1</source>
        <translation>ein neues Gespräch; ist der Text gelesen: %1</translation>
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
        <source>The demo stopped at &quot;%1&quot;: nothing happened for %2.</source>
        <translation>Die Demo blieb bei „%1“ stehen: %2 lang geschah nichts.</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>Demo</translation>
    </message>
    <message>
        <source>The text of the demo was not found: texts/opening_prompts.json is missing or names no text and questions; searched in %1.</source>
        <translation>Der Text der Demo wurde nicht gefunden: texts/opening_prompts.json fehlt oder nennt keinen Text und keine Fragen; gesucht wurde in %1.</translation>
    </message>
    <message>
        <source>The demo was stopped. Your settings are restored.</source>
        <translation>Die Demo wurde angehalten. Ihre Einstellungen sind wiederhergestellt.</translation>
    </message>
    <message>
        <source>The model reads four pages with hidden facts. The KV cache is its memory of them: watch its size rise in the charts below.</source>
        <translation>Das Modell liest vier Seiten mit versteckten Fakten. Der KV-Cache ist sein Gedächtnis dafür: Unten im Diagramm wächst seine Größe.</translation>
    </message>
    <message>
        <source>the full cache</source>
        <translation>dem vollen Cache</translation>
    </message>
    <message>
        <source>The model is asked for one of the facts: %1</source>
        <translation>Das Modell wird nach einem der Fakten gefragt: %1</translation>
    </message>
    <message>
        <source>Now the cache is made four times smaller. Attention matching keeps a quarter of the slots and fits them so that attention hardly changes: the size falls.</source>
        <translation>Jetzt wird der Cache viermal kleiner. Attention Matching behält ein Viertel der Slots und passt sie so an, dass sich die Attention kaum ändert: Die Größe fällt.</translation>
    </message>
    <message>
        <source>a quarter of the cache</source>
        <translation>einem Viertel des Caches</translation>
    </message>
    <message>
        <source>With the remaining quarter, the model is asked for another fact: %1</source>
        <translation>Mit dem verbliebenen Viertel wird das Modell nach einem anderen Fakt gefragt: %1</translation>
    </message>
    <message>
        <source>Tints show what the cache still holds of each word: kept, merged into others, or evicted. F7 shows them at any time.</source>
        <translation>Farben zeigen, was der Cache noch von jedem Wort hält: behalten, mit anderen verschmolzen oder verdrängt. F7 zeigt sie jederzeit.</translation>
    </message>
    <message>
        <source>a short chat first: temperature 0, compression off</source>
        <translation>zuerst ein kurzes Gespräch: Temperatur 0, Kompression aus</translation>
    </message>
    <message>
        <source>question: %1</source>
        <translation>Frage: %1</translation>
    </message>
    <message>
        <source>nothing is evicted</source>
        <translation>nichts wird verdrängt</translation>
    </message>
    <message>
        <source>eviction</source>
        <translation>Verdrängung</translation>
    </message>
    <message>
        <source>512 slots per head are kept, chosen by their keys alone</source>
        <translation>512 Slots je Kopf bleiben, allein nach ihren Schlüsseln gewählt</translation>
    </message>
    <message>
        <source>attention matching makes the cache 4 times smaller</source>
        <translation>Attention Matching macht den Cache 4-mal kleiner</translation>
    </message>
    <message>
        <source>a long text with hidden facts: %1; %2</source>
        <translation>ein langer Text mit versteckten Fakten: %1; %2</translation>
    </message>
    <message>
        <source>the text is read and compacted before any question</source>
        <translation>der Text wird vor jeder Frage gelesen und verdichtet</translation>
    </message>
    <message>
        <source>the text is read before any question</source>
        <translation>der Text wird vor jeder Frage gelesen</translation>
    </message>
    <message>
        <source>question with %1: %2</source>
        <translation>Frage mit %1: %2</translation>
    </message>
    <message>
        <source>a longer answer; the ratio changes to 8 while it is written</source>
        <translation>eine längere Antwort; das Verhältnis wechselt auf 8, während sie geschrieben wird</translation>
    </message>
    <message>
        <source>ratio %1 is rejected, with the reason and the nearest valid value</source>
        <translation>Verhältnis %1 wird abgelehnt, mit dem Grund und dem nächsten gültigen Wert</translation>
    </message>
    <message>
        <source>the suggested value is used and the cache is compacted</source>
        <translation>der vorgeschlagene Wert wird genommen und der Cache verdichtet</translation>
    </message>
    <message>
        <source>back to the conversation with eviction: struck-out words are evicted in all heads</source>
        <translation>zurück zum Gespräch mit Verdrängung: durchgestrichene Wörter sind in allen Köpfen verdrängt</translation>
    </message>
    <message>
        <source>Demo finished: %1. Your settings are restored.</source>
        <translation>Demo beendet: %1. Ihre Einstellungen sind wiederhergestellt.</translation>
    </message>
    <message>
        <source>Demo finished: %1. %2 compactions. Report in %3</source>
        <translation>Demo beendet: %1. %2 Verdichtungen. Bericht in %3</translation>
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
    <name>lacuna::ui::MainWindow</name>
    <message>
        <source>Lacuna</source>
        <translation>Lacuna</translation>
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
        <source>Start the demo</source>
        <translation>Demo starten</translation>
    </message>
    <message>
        <source>%1 does not exist.</source>
        <translation>%1 gibt es nicht.</translation>
    </message>
    <message>
        <source>New here? A 20-second demo shows what the cache costs and what compaction saves.</source>
        <translation>Neu hier? Eine Demo von 20 Sekunden zeigt, was der Cache kostet und was Verdichtung spart.</translation>
    </message>
    <message>
        <source>conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>%1, the last model in use, could not be loaded: %2 The bundled model answers instead.</source>
        <translation>%1, das zuletzt benutzte Modell, konnte nicht geladen werden: %2 Stattdessen antwortet das mitgelieferte Modell.</translation>
    </message>
    <message>
        <source>The window that is already open takes over.</source>
        <translation>Das schon offene Fenster übernimmt.</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Change model</source>
        <translation>Modell wechseln</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>%1 answers; its memory is not measured here.</source>
        <translation>%1 antwortet; der Speicher dort wird hier nicht gemessen.</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Memory of the process</source>
        <translation>Speicher des Prozesses</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MeasureFooter</name>
    <message>
        <source>Start over</source>
        <translation>Von vorn</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
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
        <source>, about %1 left</source>
        <translation>, noch etwa %1</translation>
    </message>
    <message>
        <source>Everything is measured. Start over measures it again.</source>
        <translation>Alles ist gemessen. „Von vorn“ misst es neu.</translation>
    </message>
    <message>
        <source>Discard the results and measure everything again.</source>
        <translation>Die Ergebnisse verwerfen und alles neu messen.</translation>
    </message>
    <message>
        <source>%1 of %2 measured; the measurement can be continued.</source>
        <translation>%1 von %2 gemessen; die Messung kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Preparing the questions, %1</source>
        <translation>Fragen werden vorbereitet, %1</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>%1 (F5). Your questions are answered first.</source>
        <translation>%1 (F5). Ihre Fragen werden zuerst beantwortet.</translation>
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
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>after loading</source>
        <translation>nach dem Laden</translation>
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
        <source>Next branch</source>
        <translation>Nächster Zweig</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>Zweig löschen</translation>
    </message>
    <message>
        <source>Undo delete branch</source>
        <translation>Löschen des Zweigs rückgängig machen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Loslösen</translation>
    </message>
    <message>
        <source>Pinned words...</source>
        <translation>Angeheftete Wörter...</translation>
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
    <message>
        <source>Edit the selected message, or the last question. The old text is kept as another branch.</source>
        <translation>Die gewählte Nachricht oder die letzte Frage bearbeiten. Der alte Text bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Previous branch</source>
        <translation>Voriger Zweig</translation>
    </message>
    <message>
        <source>Show the branch before this one.</source>
        <translation>Den Zweig vor diesem zeigen.</translation>
    </message>
    <message>
        <source>Show the branch after this one.</source>
        <translation>Den Zweig nach diesem zeigen.</translation>
    </message>
    <message>
        <source>Delete the branch shown, from where it splits off; can be undone.</source>
        <translation>Den gezeigten Zweig von seiner Gabelung an löschen; lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Restore the branch deleted last.</source>
        <translation>Den zuletzt gelöschten Zweig wiederherstellen.</translation>
    </message>
    <message>
        <source>Make compaction keep the selected words; they count towards the budget.</source>
        <translation>Verdichtung die markierten Wörter behalten lassen; sie zählen zum Budget.</translation>
    </message>
    <message>
        <source>Let compaction evict the selected words again.</source>
        <translation>Verdichtung die markierten Wörter wieder verdrängen lassen.</translation>
    </message>
    <message>
        <source>List the words that compaction keeps; go to them or unpin them.</source>
        <translation>Die Wörter auflisten, die Verdichtung behält; hingehen oder lösen.</translation>
    </message>
    <message>
        <source>This conversation has only one branch: edit a message or regenerate an answer to start another.</source>
        <translation>Dieses Gespräch hat nur einen Zweig: Bearbeiten Sie eine Nachricht, oder lassen Sie eine Antwort neu schreiben, um einen anderen zu beginnen.</translation>
    </message>
    <message>
        <source>Select words of a message first.</source>
        <translation>Markieren Sie zuerst Wörter einer Nachricht.</translation>
    </message>
    <message numerus="yes">
        <source>Pinned. %n of these tokens were already evicted; they can be restored.</source>
        <translation>
            <numerusform>Angeheftet. %n dieser Token war schon verdrängt; es lässt sich wiederherstellen.</numerusform>
            <numerusform>Angeheftet. %n dieser Token waren schon verdrängt; sie lassen sich wiederherstellen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
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
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line, Esc cancels. The old text is kept as another branch.</source>
        <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile, Esc bricht ab. Der alte Text bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Ctrl+Enter replaces the answer, Esc cancels. The old answer is kept as another branch.</source>
        <translation>Strg+Eingabe ersetzt die Antwort, Esc bricht ab. Die alte Antwort bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Replace the question and send it (Enter)</source>
        <translation>Die Frage ersetzen und senden (Eingabe)</translation>
    </message>
    <message>
        <source>Replace the answer with this text (Ctrl+Enter)</source>
        <translation>Die Antwort durch diesen Text ersetzen (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Leave the message unchanged (Esc)</source>
        <translation>Die Nachricht unverändert lassen (Esc)</translation>
    </message>
    <message>
        <source>The old text is kept as another branch.</source>
        <translation>Der alte Text bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>%1 About %2 tokens are read for the answer; the rest is reused.</source>
        <translation>%1 Etwa %2 Token werden für die Antwort gelesen; der Rest wird wiederverwendet.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageText</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy this code block</source>
        <translation>Diesen Codeblock kopieren</translation>
    </message>
    <message>
        <source>Scroll this code block</source>
        <translation>Diesen Codeblock verschieben</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageView</name>
    <message>
        <source>%1 prompt tokens</source>
        <translation>%1 Prompt-Token</translation>
    </message>
    <message>
        <source> (%1 cached)</source>
        <translation> (%1 im Cache)</translation>
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
        <source>Continue</source>
        <translation>Fortsetzen</translation>
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
    <message numerus="yes">
        <source>%n pinned</source>
        <translation>
            <numerusform>%n angeheftet</numerusform>
            <numerusform>%n angeheftet</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the attached text %1</source>
        <translation>Angehängten Text %1 anzeigen</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>%1 answer tokens</source>
        <translation>%1 Antworttoken</translation>
    </message>
    <message>
        <source>Continue this answer where it ended</source>
        <translation>Diese Antwort fortsetzen, wo sie endete</translation>
    </message>
    <message>
        <source>Delete this branch and everything after it; can be undone</source>
        <translation>Diesen Zweig und alles danach löschen; lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Pinned: compaction keeps these words (%1 tokens).</source>
        <translation>Angeheftet: Verdichtung behält diese Wörter (%1 Token).</translation>
    </message>
    <message>
        <source>Pinned: compaction keeps these words.</source>
        <translation>Angeheftet: Verdichtung behält diese Wörter.</translation>
    </message>
    <message>
        <source>This long message is folded. Copy takes the full text.</source>
        <translation>Diese lange Nachricht ist eingeklappt. Kopieren nimmt den vollen Text.</translation>
    </message>
    <message>
        <source>Answer the last question again. This answer is kept as another branch.</source>
        <translation>Die letzte Frage noch einmal beantworten. Diese Antwort bleibt als anderer Zweig.</translation>
    </message>
    <message>
        <source>Answer this question again. The messages after it are kept as another branch.</source>
        <translation>Diese Frage noch einmal beantworten. Die Nachrichten danach bleiben als anderer Zweig.</translation>
    </message>
    <message>
        <source>%1 tokens restored for this question</source>
        <translation>%1 Token für diese Frage wiederhergestellt</translation>
    </message>
    <message>
        <source>Answer the last question again. This reads %1 tokens again, because the cache no longer covers them.</source>
        <translation>Die letzte Frage noch einmal beantworten. Dabei werden %1 Token erneut gelesen, weil der Cache sie nicht mehr abdeckt.</translation>
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
        <source>measuring its precision: %1 %</source>
        <translation>misst die Genauigkeit: %1 %</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>Messung überspringen</translation>
    </message>
    <message>
        <source>fitting its surrogate: %1 %</source>
        <translation>passt sein Surrogat an: %1 %</translation>
    </message>
    <message>
        <source>Skip measuring the precision: answers are computed with two 8-bit terms, which every model tolerates.</source>
        <translation>Messung der Genauigkeit überspringen: Antworten werden mit zwei 8-Bit-Termen gerechnet, die jedes Modell verträgt.</translation>
    </message>
    <message>
        <source>Skip fitting the surrogate: texts are repeated between answers to find out which of their tokens are needed.</source>
        <translation>Anpassung des Surrogats überspringen: Zwischen Antworten werden Texte wiederholt, um herauszufinden, welche Token gebraucht werden.</translation>
    </message>
    <message>
        <source>%1
The local model stays loaded and answers again after you disconnect.
%2</source>
        <translation>%1
Das lokale Modell bleibt geladen und antwortet wieder, sobald Sie die Verbindung trennen.
%2</translation>
    </message>
    <message>
        <source>%1
%2 layers, %3 query heads, vocabulary %4
%5
Licence: %6
Precision: %7
%8
%9</source>
        <translation>%1
%2 Schichten, %3 Query-Köpfe, Vokabular %4
%5
Lizenz: %6
Genauigkeit: %7
%8
%9</translation>
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
        <source>Connect to an engine…</source>
        <translation>Mit einer Engine verbinden…</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
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
    <message>
        <source>Loss of compaction on this model by method and ratio, measured here.</source>
        <translation>Verlust durch Verdichtung bei diesem Modell nach Methode und Verhältnis, hier gemessen.</translation>
    </message>
    <message>
        <source>Let a remote engine answer, with a model that does not fit here.</source>
        <translation>Eine entfernte Engine antworten lassen, mit einem Modell, das hier nicht hineinpasst.</translation>
    </message>
    <message>
        <source>Copy this page as text.</source>
        <translation>Diese Seite als Text kopieren.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Use of this model</source>
        <translation>Verwendung dieses Modells</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ModelsPage</name>
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
        <source>Architecture, layers and width.</source>
        <translation>Architektur, Schichten und Breite.</translation>
    </message>
    <message>
        <source>Number format of most of its weights.</source>
        <translation>Zahlenformat der meisten Gewichte.</translation>
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
        <source>Models</source>
        <translation>Modelle</translation>
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
        <source>Models on this machine</source>
        <translation>Modelle auf diesem Rechner</translation>
    </message>
    <message>
        <source>Add folder...</source>
        <translation>Ordner hinzufügen...</translation>
    </message>
    <message>
        <source>Add model...</source>
        <translation>Modell hinzufügen...</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
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
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
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
        <source>Choose a model.</source>
        <translation>Wählen Sie ein Modell.</translation>
    </message>
    <message>
        <source>%1 is being loaded.</source>
        <translation>%1 wird geladen.</translation>
    </message>
    <message>
        <source>No models yet: add a folder, drop a file here, or download one.</source>
        <translation>Noch keine Modelle: Fügen Sie einen Ordner hinzu, ziehen Sie eine Datei hierher, oder laden Sie eines herunter.</translation>
    </message>
    <message>
        <source>The file is being read.</source>
        <translation>Die Datei wird gelesen.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>Size of all its files.</source>
        <translation>Größe aller Dateien.</translation>
    </message>
    <message>
        <source>Number of tokens it was trained for.</source>
        <translation>Zahl der Token, für die es trainiert wurde.</translation>
    </message>
    <message>
        <source>Memory the engine plans for weights, one step and the caches of all answers at the trained context, compared with free memory, under the current settings.</source>
        <translation>Speicher, den die Engine für Gewichte, einen Schritt und die Caches aller Antworten beim trainierten Kontext plant, verglichen mit dem freien Speicher, bei den geltenden Einstellungen.</translation>
    </message>
    <message>
        <source>reading...</source>
        <translation>wird gelesen...</translation>
    </message>
    <message>
        <source>draft model %1</source>
        <translation>Entwurfsmodell %1</translation>
    </message>
    <message>
        <source>Models, downloads and preparation</source>
        <translation>Modelle, Downloads und Vorbereitung</translation>
    </message>
    <message>
        <source>%1 downloaded.</source>
        <translation>%1 heruntergeladen.</translation>
    </message>
    <message>
        <source>Enter loads the selected model.</source>
        <translation>Eingabe lädt das gewählte Modell.</translation>
    </message>
    <message>
        <source>Selected model</source>
        <translation>Gewähltes Modell</translation>
    </message>
    <message>
        <source>Search a folder for models, now and at every start.</source>
        <translation>Einen Ordner nach Modellen durchsuchen, jetzt und bei jedem Start.</translation>
    </message>
    <message>
        <source>Add a GGUF file to the list; it stays where it is.</source>
        <translation>Eine GGUF-Datei auf die Liste setzen; sie bleibt, wo sie ist.</translation>
    </message>
    <message>
        <source>Folders that are searched for models. Choose one to remove it from this list; its files are not deleted.</source>
        <translation>Nach Modellen durchsuchte Ordner. Ein gewählter wird von dieser Liste entfernt; seine Dateien werden nicht gelöscht.</translation>
    </message>
    <message>
        <source>Load the last model at startup</source>
        <translation>Beim Start das letzte Modell laden</translation>
    </message>
    <message>
        <source>At the next start, loads the model that was last in use, even after a crash.</source>
        <translation>Lädt beim nächsten Start das zuletzt benutzte Modell, auch nach einem Absturz.</translation>
    </message>
    <message>
        <source>Delete a downloaded model from disk, after confirmation.</source>
        <translation>Ein heruntergeladenes Modell nach einer Rückfrage von der Platte löschen.</translation>
    </message>
    <message>
        <source>Unload the model and free its memory.</source>
        <translation>Das Modell entladen und seinen Speicher freigeben.</translation>
    </message>
    <message>
        <source>Stop loading; the previous model stays in use.</source>
        <translation>Das Laden anhalten; das vorige Modell bleibt in Gebrauch.</translation>
    </message>
    <message>
        <source>Load the selected model; conversations stay.</source>
        <translation>Das gewählte Modell laden; Gespräche bleiben.</translation>
    </message>
    <message>
        <source>Loading progress</source>
        <translation>Ladefortschritt</translation>
    </message>
    <message>
        <source>Delete %1 from disk? This cannot be undone.</source>
        <translation>%1 von der Platte löschen? Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>No folders added yet</source>
        <translation>Noch keine Ordner hinzugefügt</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Choose a model to see its memory plan.</source>
        <translation>Wählen Sie ein Modell, um seinen Speicherplan zu sehen.</translation>
    </message>
    <message>
        <source>There is no plan for a model that cannot be loaded.</source>
        <translation>Für ein Modell, das sich nicht laden lässt, gibt es keinen Plan.</translation>
    </message>
    <message>
        <source>Switch between table and chart.</source>
        <translation>Zwischen Tabelle und Diagramm wechseln.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::NavigationRail</name>
    <message>
        <source>Conversations, and what their memory costs</source>
        <translation>Unterhaltungen und was ihr Speicher kostet</translation>
    </message>
    <message>
        <source>Charts, cache map, timeline and stored prefixes</source>
        <translation>Diagramme, Cache-Karte, Zeitachse und gespeicherte Präfixe</translation>
    </message>
    <message>
        <source>Compare and sweep settings, measure formats and quality</source>
        <translation>Einstellungen vergleichen und durchlaufen, Formate und Qualität messen</translation>
    </message>
    <message>
        <source>Models on this machine, downloads and preparation</source>
        <translation>Modelle auf diesem Rechner, Downloads und Vorbereitung</translation>
    </message>
    <message>
        <source>Local server and remote engines</source>
        <translation>Lokaler Server und entfernte Engines</translation>
    </message>
    <message>
        <source>Export a session, or open a recorded one</source>
        <translation>Eine Sitzung exportieren oder eine aufgezeichnete öffnen</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Monitor</source>
        <translation>Monitor</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>Engines</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>Berichte</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Strg+%2)</translation>
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
        <source>Problem: %1</source>
        <translation>Problem: %1</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Notice action</source>
        <translation>Aktion des Hinweises</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PageFooter</name>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop the measurement. Results so far are kept.</source>
        <translation>Die Messung anhalten. Bisherige Ergebnisse bleiben erhalten.</translation>
    </message>
    <message>
        <source>Stop the measurement</source>
        <translation>Messung anhalten</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PageStack</name>
    <message>
        <source>Tabs of %1</source>
        <translation>Register von %1</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ParetoPlot</name>
    <message>
        <source>KL, nats (mean)</source>
        <translation>KL, Nats (Mittel)</translation>
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
        <source>, output error %1</source>
        <translation>, Ausgabefehler %1</translation>
    </message>
    <message>
        <source>Bytes and loss of every setting</source>
        <translation>Bytes und Verlust jeder Einstellung</translation>
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
        <source>The first setting is being tried.</source>
        <translation>Die erste Einstellung wird gerade versucht.</translation>
    </message>
    <message>
        <source>different top token, share</source>
        <translation>anderes wahrscheinlichstes Token, Anteil</translation>
    </message>
    <message>
        <source>%1: %2 of the bytes, KL %3, %4 same top token</source>
        <translation>%1: %2 der Bytes, KL %3, %4 gleiches wahrscheinlichstes Token</translation>
    </message>
    <message>
        <source>Each setting becomes a point once it has been tried.</source>
        <translation>Jede Einstellung wird ein Punkt, sobald sie probiert ist.</translation>
    </message>
    <message>
        <source>%1 settings; the arrow keys move between them in order of bytes.</source>
        <translation>%1 Einstellungen; die Pfeiltasten wechseln zwischen ihnen in der Reihenfolge der Bytes.</translation>
    </message>
    <message>
        <source>Each setting becomes a point here: live bytes across, loss upward.</source>
        <translation>Jede Einstellung wird hier ein Punkt: quer die belegten Bytes, aufwärts der Verlust.</translation>
    </message>
    <message>
        <source>This was not measured.</source>
        <translation>Das wurde nicht gemessen.</translation>
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
        <source>%1 (tokens: %2)</source>
        <translation>%1 (Token: %2)</translation>
    </message>
    <message>
        <source>%1 (tokens: %2, evicted before: %3)</source>
        <translation>%1 (Token: %2, vorher verdrängt: %3)</translation>
    </message>
    <message>
        <source>Nothing is pinned. Select words in the chat and choose Pin: compaction then keeps them.</source>
        <translation>Nichts ist angeheftet. Markieren Sie Wörter im Gespräch und wählen Sie „Anheften“: Verdichtung behält sie dann.</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Their tokens are counted with the next question.</source>
        <translation>Verdichtung behält diese Wörter. Ihre Token werden mit der nächsten Frage gezählt.</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Tokens: %1, which take %2 in a full cache; they count towards the budget.</source>
        <translation>Verdichtung behält diese Wörter. Token: %1, in einem vollen Cache %2; sie zählen zum Budget.</translation>
    </message>
    <message>
        <source>Compaction keeps these words. Tokens: %1; they count towards the budget.</source>
        <translation>Verdichtung behält diese Wörter. Token: %1; sie zählen zum Budget.</translation>
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
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>Trying ratios, %1 of %2…</source>
        <translation>Verhältnisse werden probiert, %1 von %2…</translation>
    </message>
    <message>
        <source>Predicted at %1: %2 of the text&apos;s information kept, weakest passage %3; output error %4</source>
        <translation>Vorhersage bei %1: %2 der Information des Textes bleiben, schwächste Stelle %3; Ausgabefehler %4</translation>
    </message>
    <message>
        <source>Predicted at %1: output error about %2, interpolated between %3 and %4</source>
        <translation>Vorhergesagt bei %1: Ausgabefehler etwa %2, zwischen %3 und %4 interpoliert</translation>
    </message>
    <message>
        <source>Predicted at %1: output error above %2, the value at %3</source>
        <translation>Vorhergesagt bei %1: Ausgabefehler über %2, dem Wert bei %3</translation>
    </message>
    <message>
        <source>%1, same as %2: %3.</source>
        <translation>%1, wie bei %2: %3.</translation>
    </message>
    <message>
        <source>Loss predicted by trying the ratios of the slider on a copy of this conversation&apos;s cache between turns. The output error is relative: 0 is exact, at 1 nothing is left; a standard error is shown where only some heads are tried. A compaction of this text reports the same figure afterwards.</source>
        <translation>Verlust, vorhergesagt durch Probieren der Verhältnisse des Schiebers an einer Kopie des Caches dieses Gesprächs zwischen den Antworten. Der Ausgabefehler ist relativ: 0 ist exakt, bei 1 bleibt nichts; ein Standardfehler steht da, wo nur einige Köpfe probiert wurden. Eine Verdichtung dieses Textes meldet danach dieselbe Zahl.</translation>
    </message>
    <message>
        <source>Predicted loss not available: %1.</source>
        <translation>Vorhersage des Verlusts nicht verfügbar: %1.</translation>
    </message>
    <message>
        <source>Predicted loss at the AM ratio</source>
        <translation>Vorhergesagter Verlust beim AM-Verhältnis</translation>
    </message>
    <message>
        <source>Move the slider to predict the loss for this text.</source>
        <translation>Den Schieber bewegen, um den Verlust für diesen Text vorherzusagen.</translation>
    </message>
    <message>
        <source>The loss is predicted after the next answer.</source>
        <translation>Der Verlust wird nach der nächsten Antwort vorhergesagt.</translation>
    </message>
    <message>
        <source>; at the current %1: %2</source>
        <translation>; beim geltenden %1: %2</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PrefixPage</name>
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
        <source>Private</source>
        <translation>Privat</translation>
    </message>
    <message>
        <source>Tokens in its own cache after its last step in this run</source>
        <translation>Token im eigenen Cache nach dem letzten Schritt in diesem Lauf</translation>
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
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens came from a cache (%3)</source>
        <translation>%1 von %2 Prompt-Token kamen aus einem Cache (%3)</translation>
    </message>
    <message>
        <source>Source, or why not</source>
        <translation>Quelle, oder warum nicht</translation>
    </message>
    <message>
        <source>Size of these tokens</source>
        <translation>Größe dieser Token</translation>
    </message>
    <message>
        <source>Part of its last prompt that was not read again</source>
        <translation>Teil des letzten Prompts, der nicht neu gelesen wurde</translation>
    </message>
    <message>
        <source>Source of the reused part, or why no more was reused</source>
        <translation>Quelle des übernommenen Teils, oder warum es nicht mehr war</translation>
    </message>
    <message>
        <source>From now on its text is not stored for other conversations, and prefixes of others are not used. What was stored before stays until it is cleared.</source>
        <translation>Von jetzt an wird sein Text nicht für andere Gespräche gespeichert, und Präfixe anderer werden nicht benutzt. Früher Gespeichertes bleibt, bis es geleert wird.</translation>
    </message>
    <message>
        <source>Text that was read is stored, so conversations, branches and requests with the same prefix need not read it again.</source>
        <translation>Gelesener Text wird gespeichert; Gespräche, Zweige und Anfragen mit gleichem Präfix müssen ihn nicht neu lesen.</translation>
    </message>
    <message>
        <source>Undo clearing</source>
        <translation>Leeren rückgängig machen</translation>
    </message>
    <message>
        <source>Conversations and their caches</source>
        <translation>Gespräche und ihre Caches</translation>
    </message>
    <message>
        <source>No questions in this run yet</source>
        <translation>Noch keine Fragen in diesem Lauf</translation>
    </message>
    <message>
        <source>Conversation caches take %1 now. Four of them stay in memory; for another, the least recently used one is released, and its conversation then continues from the prefix cache.</source>
        <translation>Die Caches der Gespräche belegen jetzt %1. Vier davon bleiben im Speicher; für einen weiteren wird der am längsten unbenutzte freigegeben, und sein Gespräch setzt dann mit dem Präfix-Cache fort.</translation>
    </message>
    <message>
        <source>The prefix cache in memory is cleared in %1 s.</source>
        <translation>Der Präfix-Cache im Speicher wird in %1 s geleert.</translation>
    </message>
    <message>
        <source>The prefix cache on disk is cleared in %1 s.</source>
        <translation>Der Präfix-Cache auf der Platte wird in %1 s geleert.</translation>
    </message>
    <message>
        <source>Stored prefixes</source>
        <translation>Gespeicherte Präfixe</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::PreparePage</name>
    <message>
        <source>stale, not used: %1</source>
        <translation>veraltet, nicht benutzt: %1</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
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
        <source>Write as GGUF</source>
        <translation>Als GGUF schreiben</translation>
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
        <source>Stop</source>
        <translation>Anhalten</translation>
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
        <source>An answer is being written. Stop it first.</source>
        <translation>Eine Antwort wird geschrieben. Halten Sie sie zuerst an.</translation>
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
        <source>available for this model</source>
        <translation>für dieses Modell vorhanden</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary that drafts tokens; the text stays the same.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular, das Token entwirft; der Text bleibt derselbe.</translation>
    </message>
    <message>
        <source>Conversation cache</source>
        <translation>Cache des Gesprächs</translation>
    </message>
    <message>
        <source>Model file task</source>
        <translation>Arbeit an einer Modelldatei</translation>
    </message>
    <message>
        <source>Progress of the model file task</source>
        <translation>Fortschritt der Arbeit an einer Modelldatei</translation>
    </message>
    <message>
        <source>Stop the task; its result is discarded</source>
        <translation>Die Arbeit anhalten; ihr Ergebnis wird verworfen</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>Modell neu laden</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary that drafts tokens: answers come faster where its drafts are right, and stay the same.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular, das Token entwirft: Antworten kommen schneller, wo seine Entwürfe stimmen, und bleiben dieselben.</translation>
    </message>
    <message>
        <source>Takes effect when the model is next loaded; the setting draft_tokens limits the length of a draft.</source>
        <translation>Gilt ab dem nächsten Laden des Modells; die Einstellung draft_tokens begrenzt die Länge eines Entwurfs.</translation>
    </message>
    <message>
        <source>Another model file task is running. Wait for it or stop it.</source>
        <translation>Andere Arbeit an einer Modelldatei läuft. Warten Sie darauf, oder halten Sie sie an.</translation>
    </message>
    <message>
        <source>Its weights are already %1; converting to fewer bits needs a file with F32, F16 or BF16 weights.</source>
        <translation>Seine Gewichte sind schon %1; für weniger Bits braucht es eine Datei mit Gewichten in F32, F16 oder BF16.</translation>
    </message>
    <message>
        <source>Writes a new file; the original stays unchanged.</source>
        <translation>Schreibt eine neue Datei; das Original bleibt unverändert.</translation>
    </message>
    <message>
        <source>%1 tokens that need not be read again with this model and these cache settings. Anyone who has the file can read the conversation in it.</source>
        <translation>%1 Token, die bei diesem Modell und diesen Cache-Einstellungen nicht neu gelesen werden müssen. Wer die Datei hat, kann das Gespräch darin lesen.</translation>
    </message>
    <message>
        <source>Calibrating and converting take minutes, run at low priority in the background and load another copy of the model.</source>
        <translation>Kalibrieren und Umwandeln dauern Minuten, laufen mit niedriger Priorität im Hintergrund und laden das Modell ein weiteres Mal.</translation>
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
        <source>What if</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Try before applying</source>
        <translation>Erst probieren</translation>
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
        <source>Compact now</source>
        <translation>Jetzt verdichten</translation>
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
        <source>Applied; the cache is being compacted.</source>
        <translation>Angewandt; der Cache wird verdichtet.</translation>
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
        <source>Tried on a copy of the cache, in %1.</source>
        <translation>An einer Kopie des Caches probiert, in %1.</translation>
    </message>
    <message>
        <source>Tried on %1 of %2 heads of a copy of the cache, in %3.</source>
        <translation>An %1 von %2 Köpfen einer Kopie des Caches probiert, in %3.</translation>
    </message>
    <message>
        <source> The weakest passage keeps %1 of its information.</source>
        <translation> Die schwächste Stelle behält %1 ihrer Information.</translation>
    </message>
    <message>
        <source>Information kept</source>
        <translation>Behaltene Information</translation>
    </message>
    <message>
        <source>Nothing would be evicted: %1.</source>
        <translation>Nichts würde verdrängt: %1.</translation>
    </message>
    <message>
        <source> Measuring how much of its information the text keeps.</source>
        <translation> Gemessen wird gerade, wie viel seiner Information der Text behält.</translation>
    </message>
    <message>
        <source> Settings have changed since.</source>
        <translation> Einstellungen wurden seither geändert.</translation>
    </message>
    <message>
        <source>From the quality table of this model (Tools &gt; Quality of this model), measured with all other settings as at program start.</source>
        <translation>Aus der Qualitätstabelle dieses Modells (Werkzeuge &gt; Qualität dieses Modells), gemessen mit allen anderen Einstellungen wie beim Programmstart.</translation>
    </message>
    <message>
        <source>Changed settings wait here: they are estimated first and applied when you choose Apply.</source>
        <translation>Geänderte Einstellungen warten hier: Sie werden erst geschätzt und angewandt, wenn Sie „Anwenden“ wählen.</translation>
    </message>
    <message>
        <source>actual</source>
        <translation>tatsächlich</translation>
    </message>
    <message>
        <source>Try a compaction with the requested settings on a copy of this conversation&apos;s cache</source>
        <translation>Eine Verdichtung mit den geforderten Einstellungen an einer Kopie des Caches dieses Gesprächs probieren</translation>
    </message>
    <message>
        <source>Apply the waiting settings and compact as estimated</source>
        <translation>Die wartenden Einstellungen anwenden und verdichten wie geschätzt</translation>
    </message>
    <message>
        <source>Discard the waiting settings</source>
        <translation>Die wartenden Einstellungen verwerfen</translation>
    </message>
    <message>
        <source>Compact with the current settings (F9)</source>
        <translation>Mit den geltenden Einstellungen verdichten (F9)</translation>
    </message>
    <message>
        <source>Applied from the next token of this answer; the cache is compacted then.</source>
        <translation>Angewandt ab dem nächsten Token dieser Antwort; dann wird der Cache verdichtet.</translation>
    </message>
    <message>
        <source>Applied; the cache is compacted when the next answer needs it, or now with Compact now.</source>
        <translation>Angewandt; der Cache wird verdichtet, wenn die nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProfilePanel</name>
    <message>
        <source>Save...</source>
        <translation>Speichern...</translation>
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
        <source>Rename...</source>
        <translation>Umbenennen...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
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
    <message>
        <source>Save these settings as your own profile</source>
        <translation>Diese Einstellungen als eigenes Profil speichern</translation>
    </message>
    <message>
        <source>Profile of cache settings</source>
        <translation>Profil der Cache-Einstellungen</translation>
    </message>
    <message>
        <source>Only your own profiles can be changed.</source>
        <translation>Nur eigene Profile lassen sich ändern.</translation>
    </message>
    <message>
        <source>In effect from the next token of this answer.</source>
        <translation>Gilt ab dem nächsten Token dieser Antwort.</translation>
    </message>
    <message>
        <source>In effect; this conversation is compacted when its next answer needs it, or now with Compact now.</source>
        <translation>Gilt; dieses Gespräch wird verdichtet, wenn seine nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“.</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigenes</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ProgressFooter</name>
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
        <source>%1 (F5)</source>
        <translation>%1 (F5)</translation>
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
    <message>
        <source>Attach text or source code files, or drop them here (Ctrl+Shift+A)</source>
        <translation>Text- oder Quellcodedateien anhängen oder hierher ziehen (Strg+Umschalt+A)</translation>
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
    <name>lacuna::ui::QualityPage</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
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
        <source>Live bytes</source>
        <translation>Belegte Bytes</translation>
    </message>
    <message>
        <source>The same at the 99th percentile of positions.</source>
        <translation>Dasselbe beim 99. Perzentil der Positionen.</translation>
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
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>No model loaded</source>
        <translation>Kein Modell geladen</translation>
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
        <source>%1 of %2 texts so far</source>
        <translation>bisher %1 von %2 Texten</translation>
    </message>
    <message>
        <source>%1 texts not compacted</source>
        <translation>%1 Texte nicht verdichtet</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Gefordert</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>Attention matching (am) with each way to divide slots among heads, and eviction with each policy. Other settings as at program start. Questions: the head profile was made with questions of the tested kinds, a bench option.</source>
        <translation>Attention Matching (am) mit jeder Art, Slots auf Köpfe zu verteilen, und Verdrängung nach jeder Regel. Andere Einstellungen wie beim Programmstart. „Fragen“: Das Kopfprofil entstand mit Fragen der geprüften Art, eine Option der Messungen.</translation>
    </message>
    <message>
        <source>How many times smaller the cache should become.</source>
        <translation>Wievielmal kleiner der Cache werden soll.</translation>
    </message>
    <message>
        <source>Of the dialogues answered correctly with the full cache, how many are also answered correctly with the compacted cache. Compaction runs after the text is read and before the question.</source>
        <translation>Wie viele der mit dem vollen Cache richtig beantworteten Dialoge auch mit dem verdichteten richtig beantwortet werden. Verdichtet wird nach dem Lesen des Textes und vor der Frage.</translation>
    </message>
    <message>
        <source>Mean score over the 13 tasks of RULER, as a share of the full cache&apos;s score. The model gets the question only after the text is compacted.</source>
        <translation>Mittlere Wertung über die 13 Aufgaben von RULER, als Anteil der Wertung des vollen Caches. Das Modell bekommt die Frage erst nach der Verdichtung des Textes.</translation>
    </message>
    <message>
        <source>Divergence of the next-token distribution from that of the full cache, in nats, mean over running text after the compaction.</source>
        <translation>Divergenz der Verteilung des nächsten Tokens von der des vollen Caches, in Nats, Mittel über laufenden Text nach der Verdichtung.</translation>
    </message>
    <message>
        <source>Perplexity of the same running text with the compacted cache.</source>
        <translation>Perplexität desselben laufenden Textes mit dem verdichteten Cache.</translation>
    </message>
    <message>
        <source>Bytes held after the compaction, positions and marks included, as a share of the full cache.</source>
        <translation>Nach der Verdichtung gehaltene Bytes, mit Positionen und Marken, als Anteil des vollen Caches.</translation>
    </message>
    <message>
        <source>The same in bytes, mean over the texts.</source>
        <translation>Dasselbe in Bytes, Mittel über die Texte.</translation>
    </message>
    <message>
        <source>Mean time of a compaction on this machine, including the passes for its queries.</source>
        <translation>Mittlere Zeit einer Verdichtung auf diesem Rechner, einschließlich der Durchgänge für ihre Abfragen.</translation>
    </message>
    <message>
        <source>Why there are no results, or how many texts are excluded.</source>
        <translation>Warum es keine Ergebnisse gibt, oder wie viele Texte ausgelassen sind.</translation>
    </message>
    <message>
        <source>Full: hours</source>
        <translation>Voll: Stunden</translation>
    </message>
    <message>
        <source>Small: 6 dialogues, RULER at 1,024 tokens once, 2 windows of text. Full: 45 dialogues, RULER at 4,096 tokens four times, 10 windows. Each at ratios 2, 4, 8, 16 and 32.</source>
        <translation>Klein: 6 Dialoge, RULER mit 1.024 Token einmal, 2 Textfenster. Voll: 45 Dialoge, RULER mit 4.096 Token viermal, 10 Fenster. Jeweils bei den Verhältnissen 2, 4, 8, 16 und 32.</translation>
    </message>
    <message>
        <source>Size of the measurement</source>
        <translation>Umfang der Messung</translation>
    </message>
    <message>
        <source>Copy the table as Markdown.</source>
        <translation>Die Tabelle als Markdown kopieren.</translation>
    </message>
    <message>
        <source>Save the table as CSV or Markdown.</source>
        <translation>Die Tabelle als CSV oder Markdown speichern.</translation>
    </message>
    <message>
        <source>Table copied.</source>
        <translation>Tabelle kopiert.</translation>
    </message>
    <message>
        <source>With the full cache: %1 dialogues answered, %2 RULER questions asked, perplexity %3, %4 per text.</source>
        <translation>Mit dem vollen Cache: %1 Dialoge beantwortet, %2 RULER-Fragen gestellt, Perplexität %3, %4 je Text.</translation>
    </message>
    <message>
        <source>Measure tries every method at each ratio and reports the loss: recall, RULER, KL, perplexity, bytes.</source>
        <translation>„Messen“ probiert jede Methode bei jedem Verhältnis und meldet den Verlust: Recall, RULER, KL, Perplexität, Bytes.</translation>
    </message>
    <message>
        <source>It runs while the conversation is idle, and can be stopped and continued.</source>
        <translation>Das läuft, während das Gespräch ruht, und lässt sich anhalten und fortsetzen.</translation>
    </message>
    <message>
        <source>Bytes kept</source>
        <translation>Behaltene Bytes</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecentModels</name>
    <message>
        <source>Recent model %1</source>
        <translation>Zuletzt benutztes Modell %1</translation>
    </message>
    <message>
        <source>Load a model that was loaded before.</source>
        <translation>Ein früher geladenes Modell laden.</translation>
    </message>
    <message>
        <source>Recent models</source>
        <translation>Zuletzt benutzte Modelle</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Noch kein Modell</translation>
    </message>
    <message>
        <source>No further model was loaded.</source>
        <translation>Kein weiteres Modell wurde geladen.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RecordedView</name>
    <message>
        <source>A recorded session is open. Close it to return to the live one.</source>
        <translation>Eine aufgezeichnete Sitzung ist geöffnet. Schließen Sie sie, um zur laufenden zurückzukehren.</translation>
    </message>
    <message>
        <source>There are no messages before this moment.</source>
        <translation>Vor diesem Zeitpunkt gibt es keine Nachrichten.</translation>
    </message>
    <message>
        <source>The report has no data on the cache at this moment.</source>
        <translation>Der Bericht hat keine Daten über den Cache zu diesem Zeitpunkt.</translation>
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
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>nicht gemeldet</translation>
    </message>
    <message>
        <source>Slot %1: %2</source>
        <translation>Slot %1: %2</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Insgesamt</translation>
    </message>
    <message>
        <source>The current value, or the rate or mean over the last second.</source>
        <translation>Der jetzige Wert, oder die Rate oder das Mittel der letzten Sekunde.</translation>
    </message>
    <message>
        <source>Since the engine started; for times, the mean.</source>
        <translation>Seit dem Start der Engine; bei Zeiten das Mittel.</translation>
    </message>
    <message>
        <source>Metrics of this engine</source>
        <translation>Kennzahlen dieser Engine</translation>
    </message>
    <message>
        <source>Known metrics; a dash where the engine does not report one.</source>
        <translation>Bekannte Kennzahlen; ein Strich, wo die Engine keine meldet.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::RemotePage</name>
    <message>
        <source>Engines</source>
        <translation>Engines</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
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
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Disconnected. The local engine answers again.</source>
        <translation>Getrennt. Die lokale Engine antwortet wieder.</translation>
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
        <source>Problem: %1</source>
        <translation>Problem: %1</translation>
    </message>
    <message>
        <source>none</source>
        <comment>key</comment>
        <translation>keiner</translation>
    </message>
    <message>
        <source>Remote engines</source>
        <translation>Entfernte Engines</translation>
    </message>
    <message>
        <source>A remote engine can answer the conversations of this window: vLLM, SGLang, llama-server, another Lacuna, or any server with an OpenAI-compatible API. Nothing is sent before you test or connect.</source>
        <translation>Eine entfernte Engine kann die Gespräche dieses Fensters beantworten: vLLM, SGLang, llama-server, ein anderes Lacuna oder jeder Server mit einer OpenAI-kompatiblen API. Gesendet wird erst, wenn Sie prüfen oder verbinden.</translation>
    </message>
    <message>
        <source>Saved engines</source>
        <translation>Gespeicherte Engines</translation>
    </message>
    <message>
        <source>Saved engines appear here.</source>
        <translation>Gespeicherte Engines erscheinen hier.</translation>
    </message>
    <message>
        <source>Add another engine</source>
        <translation>Eine weitere Engine hinzufügen</translation>
    </message>
    <message>
        <source>Remove this engine and its key</source>
        <translation>Diese Engine und ihren Schlüssel entfernen</translation>
    </message>
    <message>
        <source>Any name</source>
        <translation>Beliebiger Name</translation>
    </message>
    <message>
        <source>Query its models and metrics</source>
        <translation>Ihre Modelle und Kennzahlen abfragen</translation>
    </message>
    <message>
        <source>Save it to the list</source>
        <translation>In die Liste speichern</translation>
    </message>
    <message>
        <source>Let it answer instead of the local engine</source>
        <translation>Statt der lokalen Engine antworten lassen</translation>
    </message>
    <message>
        <source>Removed, together with its key.</source>
        <translation>Entfernt, samt Schlüssel.</translation>
    </message>
    <message>
        <source>Testing...</source>
        <translation>Prüft...</translation>
    </message>
    <message>
        <source>Connecting...</source>
        <translation>Verbindet...</translation>
    </message>
    <message>
        <source>%1 (connected)</source>
        <translation>%1 (verbunden)</translation>
    </message>
    <message>
        <source>Saved; type to replace it</source>
        <translation>Gespeichert; zum Ersetzen tippen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
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
        <source>This conversation has no cache now: its next question reads the full text again.</source>
        <translation>Dieses Gespräch hat jetzt keinen Cache: Seine nächste Frage liest den vollen Text neu.</translation>
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
        <source>Calibrate rotations</source>
        <translation>Rotationen kalibrieren</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>Modell neu laden</translation>
    </message>
    <message>
        <source>Its result is discarded.</source>
        <translation>Das Ergebnis wird verworfen.</translation>
    </message>
    <message>
        <source>Rotations take effect when the model is next loaded. The next question then reads its conversation again.</source>
        <translation>Rotationen gelten ab dem nächsten Laden des Modells. Die nächste Frage liest ihr Gespräch dann neu.</translation>
    </message>
    <message>
        <source>Reads a text of 30,000 tokens while idle and finds the rotation that best suits the codes of each head. Your questions are answered first.</source>
        <translation>Liest im Leerlauf einen Text von 30.000 Token und findet die Rotation, die am besten zu den Codes jedes Kopfs passt. Ihre Fragen werden zuerst beantwortet.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ServerPage</name>
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
        <source>done (%1)</source>
        <translation>fertig (%1)</translation>
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
        <source>Other machines too; needs a key</source>
        <translation>Auch andere Rechner; braucht einen Schlüssel</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Name of the model for clients</source>
        <translation>Name des Modells für Clients</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Model name</source>
        <translation>Modellname</translation>
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
        <source>Answers of the server, newest first</source>
        <translation>Antworten des Servers, neueste zuerst</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>Copy the text for this client</source>
        <translation>Den Text für diesen Client kopieren</translation>
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
        <source>Embeddings</source>
        <translation>Einbettungen</translation>
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
        <source>none: nothing is saved</source>
        <translation>keiner</translation>
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
        <source>Saved caches</source>
        <translation>Gespeicherte Caches</translation>
    </message>
    <message>
        <source>none</source>
        <comment>embeddings</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Eingegangen</translation>
    </message>
    <message>
        <source>Prompt tokens that were already in a cache</source>
        <translation>Token des Prompts, die schon in einem Cache waren</translation>
    </message>
    <message>
        <source>Answer tokens so far</source>
        <translation>Bisherige Token der Antwort</translation>
    </message>
    <message>
        <source>From the request to the end of the answer, or to now</source>
        <translation>Von der Anfrage bis zum Ende der Antwort, oder bis jetzt</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>reading, %1 of %2</source>
        <translation>liest, %1 von %2</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>The server is finishing its answers</source>
        <translation>Der Server beendet seine Antworten</translation>
    </message>
    <message>
        <source>No port is open. When on, the server answers programs with the model of this window, in parallel with the conversation. It is off at the next start of Lacuna.</source>
        <translation>Kein Port ist offen. Eingeschaltet beantwortet der Server Programme mit dem Modell dieses Fensters, parallel zum Gespräch. Beim nächsten Start von Lacuna ist er aus.</translation>
    </message>
    <message>
        <source>It takes no new connections and stops after the last answer. Switch it off again to cancel the remaining answers.</source>
        <translation>Er nimmt keine neuen Verbindungen an und stoppt nach der letzten Antwort. Noch einmal ausschalten bricht die übrigen Antworten ab.</translation>
    </message>
    <message>
        <source>No model is loaded: requests get status 503 until one is.</source>
        <translation>Kein Modell ist geladen: Bis dahin bekommen Anfragen den Status 503.</translation>
    </message>
    <message>
        <source>Clients use the model name “%1”. The cache settings are those of this window.</source>
        <translation>Clients verwenden den Modellnamen „%1“. Die Cache-Einstellungen sind die dieses Fensters.</translation>
    </message>
    <message>
        <source>Answers appear here while the server is on: figures only, no text.</source>
        <translation>Antworten erscheinen hier, solange der Server an ist: nur Zahlen, kein Text.</translation>
    </message>
    <message>
        <source>Answering: %1, waiting: %2, connections: %3, requests so far: %4</source>
        <translation>In Arbeit: %1, wartend: %2, Verbindungen: %3, Anfragen bisher: %4</translation>
    </message>
    <message>
        <source>; %1 tokens/s in total</source>
        <translation>; zusammen %1 Token/s</translation>
    </message>
    <message>
        <source>Server state</source>
        <translation>Zustand des Servers</translation>
    </message>
    <message>
        <source>This machine only</source>
        <translation>Nur dieser Rechner</translation>
    </message>
    <message>
        <source>This machine only, IPv6</source>
        <translation>Nur dieser Rechner, IPv6</translation>
    </message>
    <message>
        <source>127.0.0.1 accepts only this machine. 0.0.0.0 accepts other machines too: that needs a key, and the text travels unencrypted.</source>
        <translation>127.0.0.1 nimmt nur diesen Rechner an. 0.0.0.0 nimmt auch andere Rechner an: Das braucht einen Schlüssel, und der Text reist unverschlüsselt.</translation>
    </message>
    <message>
        <source>any free port</source>
        <translation>beliebiger freier Port</translation>
    </message>
    <message>
        <source>name of the model file</source>
        <translation>Name der Modelldatei</translation>
    </message>
    <message>
        <source>Model name that clients use; further names after commas.</source>
        <translation>Modellname, den Clients verwenden; weitere Namen nach Kommas.</translation>
    </message>
    <message>
        <source>Answers written in parallel, each with its own cache; further requests wait. The conversation of this window is extra.</source>
        <translation>Parallel geschriebene Antworten, jede mit eigenem Cache; weitere Anfragen warten. Das Gespräch dieses Fensters kommt hinzu.</translation>
    </message>
    <message>
        <source>Parallel answers</source>
        <translation>Parallele Antworten</translation>
    </message>
    <message>
        <source>0 uses any free port.</source>
        <translation>0 nimmt einen beliebigen freien Port.</translation>
    </message>
    <message>
        <source>one per token</source>
        <translation>einer je Token</translation>
    </message>
    <message>
        <source>Text vectors (/v1/embeddings), and the tokens each is made from.</source>
        <translation>Textvektoren (/v1/embeddings), und aus welchen Token jeder entsteht.</translation>
    </message>
    <message>
        <source>Folder where clients may save and restore the cache of a slot (/slots/0?action=save).</source>
        <translation>Ordner, in dem Clients den Cache eines Slots speichern und wiederherstellen können (/slots/0?action=save).</translation>
    </message>
    <message>
        <source>none: every program on this machine can connect</source>
        <translation>keiner: Jedes Programm auf diesem Rechner kann verbinden</translation>
    </message>
    <message>
        <source>Clients send it with each request. Empty: no key is needed.</source>
        <translation>Clients senden ihn mit jeder Anfrage. Leer: kein Schlüssel nötig.</translation>
    </message>
    <message>
        <source>Replace the key with 32 random letters and digits. It is stored in a file that only you can read.</source>
        <translation>Den Schlüssel durch 32 zufällige Buchstaben und Ziffern ersetzen. Er liegt in einer Datei, die nur Sie lesen können.</translation>
    </message>
    <message>
        <source>No requests in this run yet. The Clients tab shows how programs connect.</source>
        <translation>Noch keine Anfragen in diesem Lauf. Der Reiter „Clients“ zeigt, wie Programme verbinden.</translation>
    </message>
    <message>
        <source>Include the key</source>
        <translation>Schlüssel einschließen</translation>
    </message>
    <message>
        <source>Otherwise the text takes the key from the environment variable LACUNA_API_KEY.</source>
        <translation>Sonst nimmt der Text den Schlüssel aus der Umgebungsvariablen LACUNA_API_KEY.</translation>
    </message>
    <message>
        <source>Example for this client</source>
        <translation>Beispiel für diesen Client</translation>
    </message>
    <message>
        <source>Open the port and answer requests.</source>
        <translation>Den Port öffnen und Anfragen beantworten.</translation>
    </message>
    <message>
        <source>Accept no new connections, and stop after the last answer.</source>
        <translation>Keine neuen Verbindungen annehmen und nach der letzten Antwort stoppen.</translation>
    </message>
    <message>
        <source>Close all connections and cancel the remaining answers.</source>
        <translation>Alle Verbindungen schließen und die übrigen Antworten abbrechen.</translation>
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
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>No title or message contains “%1”.</source>
        <translation>Kein Titel und keine Nachricht enthält „%1“.</translation>
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
    <message>
        <source>Keep the current value</source>
        <translation>Geltenden Wert behalten</translation>
    </message>
    <message>
        <source>Keep the current value of %1</source>
        <translation>Den geltenden Wert von %1 behalten</translation>
    </message>
    <message>
        <source>effective %1</source>
        <translation>gilt: %1</translation>
    </message>
    <message>
        <source>%1: requested %2, effective %3. %4</source>
        <translation>%1: gefordert %2, gilt %3. %4</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SettingsPanel</name>
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
        <source>Reset all settings</source>
        <translation>Alle Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
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
        <source>Sampling</source>
        <translation>Auswahl der Token</translation>
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
    <message>
        <source>All settings applied</source>
        <translation>Alle Einstellungen angewandt</translation>
    </message>
    <message>
        <source>Draft: waiting for Apply</source>
        <translation>Entwurf: wartet auf Anwenden</translation>
    </message>
    <message>
        <source>Draft: about to be sent</source>
        <translation>Entwurf: wird gleich gesendet</translation>
    </message>
    <message>
        <source>Restore the values that all settings had at program start</source>
        <translation>Die Werte aller Einstellungen vom Programmstart wiederherstellen</translation>
    </message>
    <message>
        <source>No setting change to undo</source>
        <translation>Keine Änderung rückgängig zu machen</translation>
    </message>
    <message>
        <source>Gives this conversation its own method, ratio, budget and other cache settings: changes here do not affect other conversations, and their changes do not affect this one. Sampling and run settings stay shared.</source>
        <translation>Gibt diesem Gespräch eigene Methode, Verhältnis, Budget und weitere Cache-Einstellungen: Änderungen hier wirken auf kein anderes Gespräch, und Änderungen dort nicht auf dieses. Auswahl der Token und Lauf bleiben gemeinsam.</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>For this conversation only</source>
        <translation>Nur für diese Unterhaltung</translation>
    </message>
    <message>
        <source>Advanced (%1 settings)</source>
        <translation>Erweitert (%1 Einstellungen)</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Name, key or explanation of a setting</source>
        <translation>Name, Schlüssel oder Erklärung einer Einstellung</translation>
    </message>
    <message>
        <source>Compression</source>
        <translation>Kompression</translation>
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
        <source>Page Up, Page Down</source>
        <translation>Bild auf, Bild ab</translation>
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
        <source>Down, Enter</source>
        <translation>Ab, Eingabe</translation>
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
        <source>Search actions and keys</source>
        <translation>Aktionen und Tasten suchen</translation>
    </message>
    <message>
        <source>Ctrl+wheel, drag, double-click</source>
        <translation>Strg+Rad, Ziehen, Doppelklick</translation>
    </message>
    <message>
        <source>Slider: large step</source>
        <translation>Schieber: grober Schritt</translation>
    </message>
    <message>
        <source>Slider: minimum, maximum</source>
        <translation>Schieber: kleinster und größter Wert</translation>
    </message>
    <message>
        <source>Search: go to the results</source>
        <translation>Suche: zu den Ergebnissen</translation>
    </message>
    <message>
        <source>Chart: zoom, pan, show all</source>
        <translation>Diagramm: zoomen, verschieben, alles zeigen</translation>
    </message>
    <message>
        <source>No action or key matches.</source>
        <translation>Keine Aktion oder Taste passt.</translation>
    </message>
    <message>
        <source>Name of an action, its menu or its keys; Down goes to the results.</source>
        <translation>Name einer Aktion, ihres Menüs oder ihrer Tasten; Abwärts geht zu den Treffern.</translation>
    </message>
    <message>
        <source>Compare, sweep, measure: start</source>
        <translation>Vergleichen, Durchlaufen, Messen: starten</translation>
    </message>
    <message>
        <source>F5</source>
        <translation>F5</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SweepPage</name>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Beste</translation>
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
        <source>Ratios</source>
        <translation>Verhältnisse</translation>
    </message>
    <message>
        <source>Budgets</source>
        <translation>Budgets</translation>
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
        <source>KL, nats</source>
        <translation>KL, Nats</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>Gefordert</translation>
    </message>
    <message>
        <source>Same top token</source>
        <translation>Gleiches Top-Token</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>pending</source>
        <translation>steht aus</translation>
    </message>
    <message>
        <source>slots per head, e.g. 512, 1024</source>
        <translation>Slots je Kopf, z. B. 512, 1024</translation>
    </message>
    <message>
        <source>Compression ratios, e.g. 2, 4, 8</source>
        <translation>Verhältnisse der Kompression, z. B. 2, 4, 8</translation>
    </message>
    <message>
        <source>Every method at every size, on a copy of the cache of each answer of this conversation. Other settings are the current ones.</source>
        <translation>Jede Methode in jeder Größe, an einer Kopie des Caches jeder Antwort dieses Gesprächs. Andere Einstellungen sind die geltenden.</translation>
    </message>
    <message>
        <source>Vertical axis</source>
        <translation>Senkrechte Achse</translation>
    </message>
    <message>
        <source>Stopped: %1 of %2 settings tried.</source>
        <translation>Angehalten: %1 von %2 Einstellungen probiert.</translation>
    </message>
    <message>
        <source>Settings without results: %1. They evicted nothing because the answers are too short for them; sweep a longer conversation.</source>
        <translation>Einstellungen ohne Ergebnisse: %1. Sie haben nichts verdrängt, weil die Antworten zu kurz dafür sind; messen Sie ein längeres Gespräch.</translation>
    </message>
    <message>
        <source>Bytes kept</source>
        <translation>Behaltene Bytes</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::SystemPromptDialog</name>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>System prompt of this conversation</source>
        <translation>Systemprompt dieses Gesprächs</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Save as...</source>
        <translation>Speichern unter...</translation>
    </message>
    <message>
        <source>Use the selected prompt for new conversations</source>
        <translation>Den gewählten Prompt für neue Gespräche verwenden</translation>
    </message>
    <message>
        <source>Saved system prompts</source>
        <translation>Gespeicherte Systemprompts</translation>
    </message>
    <message>
        <source>No system prompt</source>
        <translation>Kein Systemprompt</translation>
    </message>
    <message>
        <source>Save this text under a name, for other conversations</source>
        <translation>Diesen Text unter einem Namen für andere Gespräche speichern</translation>
    </message>
    <message>
        <source>Remove the selected saved prompt</source>
        <translation>Den gewählten gespeicherten Prompt entfernen</translation>
    </message>
    <message>
        <source>Instructions that the model reads before this conversation. Other conversations keep theirs.</source>
        <translation>Anweisungen, die das Modell vor diesem Gespräch liest. Andere Gespräche behalten ihre eigenen.</translation>
    </message>
    <message>
        <source>None saved yet</source>
        <translation>Noch keine gespeichert</translation>
    </message>
    <message>
        <source>Saved prompts</source>
        <translation>Gespeicherte Prompts</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>Existing conversations are not changed.</source>
        <translation>Bestehende Gespräche werden nicht geändert.</translation>
    </message>
    <message>
        <source>Choose a saved prompt first, or save this one.</source>
        <translation>Wählen Sie zuerst einen gespeicherten Prompt, oder speichern Sie diesen.</translation>
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
        <source>Paused</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Ausschnitt</translation>
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
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
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
        <source>recorded session</source>
        <translation>aufgezeichnete Sitzung</translation>
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
    <message>
        <source>Follow the newest steps, or freeze the view while recording continues (F8)</source>
        <translation>Den neuesten Schritten folgen oder die Ansicht einfrieren, während weiter aufgezeichnet wird (F8)</translation>
    </message>
    <message>
        <source>Time range that all charts show</source>
        <translation>Zeitraum, den alle Diagramme zeigen</translation>
    </message>
    <message>
        <source>Horizontal axis: time, or tokens processed</source>
        <translation>Waagerechte Achse: Zeit oder verarbeitete Token</translation>
    </message>
    <message>
        <source>Show the focused chart, or all visible charts, as a table, and back (F4)</source>
        <translation>Das Diagramm mit dem Fokus oder alle sichtbaren als Tabelle zeigen, und zurück (F4)</translation>
    </message>
    <message>
        <source>Save all samples as a CSV file</source>
        <translation>Alle Proben als CSV-Datei speichern</translation>
    </message>
    <message>
        <source>Table, samples as a file, picture, horizontal axis</source>
        <translation>Tabelle, Proben als Datei, Bild, waagerechte Achse</translation>
    </message>
    <message>
        <source>recording continues</source>
        <translation>Aufzeichnung läuft weiter</translation>
    </message>
    <message>
        <source>%1 samples skipped</source>
        <translation>%1 Proben ausgelassen</translation>
    </message>
    <message>
        <source>More charts</source>
        <translation>Weitere Diagramme</translation>
    </message>
    <message>
        <source>Also show throughput, latency by stage, quality, prompt reuse and stored prefixes</source>
        <translation>Auch Durchsatz, Latenz nach Stufen, Qualität, Wiederverwendung und gespeicherte Präfixe zeigen</translation>
    </message>
    <message>
        <source>All conversations</source>
        <translation>Alle Gespräche</translation>
    </message>
    <message>
        <source>Show the caches and compactions of all conversations, not only of the one shown</source>
        <translation>Caches und Verdichtungen aller Gespräche zeigen, nicht nur des angezeigten</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::ThoughtView</name>
    <message>
        <source>Show or hide the reasoning of the model</source>
        <translation>Überlegungen des Modells zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Reasoning of the model</source>
        <translation>Überlegungen des Modells</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::TimeBar</name>
    <message>
        <source>Recorded session</source>
        <translation>Aufgezeichnete Sitzung</translation>
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
        <source>Close session</source>
        <translation>Sitzung schließen</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>Vorige Marke</translation>
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
        <source>Recorded session %1</source>
        <translation>Aufgezeichnete Sitzung %1</translation>
    </message>
    <message>
        <source>Recorded session %1, with %2</source>
        <translation>Aufgezeichnete Sitzung %1, mit %2</translation>
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
        <source>Stop replay</source>
        <translation>Wiederholung abbrechen</translation>
    </message>
    <message>
        <source>Replaying: answer %1 of %2.</source>
        <translation>Wiederholung: Antwort %1 von %2.</translation>
    </message>
    <message>
        <source>Position in the session</source>
        <translation>Stelle in der Sitzung</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys for one step, Page Up and Page Down for the previous and next question or compaction, Home and End for the ends. Space plays.</source>
        <translation>Ziehen, oder Pfeiltasten für einen Schritt, Bild auf und Bild ab für die vorige und nächste Frage oder Verdichtung, Pos1 und Ende für Anfang und Ende. Leertaste spielt ab.</translation>
    </message>
    <message>
        <source>Run the session again with the same model and settings, and check that the text is the same. The live session continues.</source>
        <translation>Die Sitzung mit demselben Modell und denselben Einstellungen noch einmal ausführen und prüfen, ob der Text derselbe ist. Die laufende Sitzung geht weiter.</translation>
    </message>
    <message>
        <source>Return to the live session.</source>
        <translation>Zur laufenden Sitzung zurückkehren.</translation>
    </message>
    <message>
        <source>Go to the previous question or compaction (Page Up)</source>
        <translation>Zur vorigen Frage oder Verdichtung (Bild auf)</translation>
    </message>
    <message>
        <source>Go to the next question or compaction (Page Down)</source>
        <translation>Zur nächsten Frage oder Verdichtung (Bild ab)</translation>
    </message>
    <message>
        <source>Playback speed; time without steps is skipped.</source>
        <translation>Abspielgeschwindigkeit; Zeit ohne Schritte wird übersprungen.</translation>
    </message>
    <message>
        <source>Playback speed</source>
        <translation>Abspielgeschwindigkeit</translation>
    </message>
    <message>
        <source>The most recently active</source>
        <translation>Zuletzt aktiv</translation>
    </message>
    <message>
        <source>Pause the session at this moment (Space)</source>
        <translation>Die Sitzung an dieser Stelle anhalten (Leertaste)</translation>
    </message>
    <message>
        <source>Replaying: loading the model.</source>
        <translation>Wiederholung: Das Modell wird geladen.</translation>
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
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
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
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
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
        <source>Words that an event must contain</source>
        <translation>Wörter, die ein Ereignis enthalten muss</translation>
    </message>
    <message>
        <source>Events of the session appear here: models, answers, settings, compactions.</source>
        <translation>Ereignisse der Sitzung erscheinen hier: Modelle, Antworten, Einstellungen, Verdichtungen.</translation>
    </message>
    <message>
        <source>Details of the selected event</source>
        <translation>Einzelheiten des gewählten Ereignisses</translation>
    </message>
    <message>
        <source>, %1 older ones dropped</source>
        <translation>, %1 ältere verworfen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the selected rows, or all rows shown.</source>
        <translation>Die gewählten oder alle gezeigten Zeilen kopieren.</translation>
    </message>
    <message>
        <source>Open log folder</source>
        <translation>Protokollordner öffnen</translation>
    </message>
    <message>
        <source>This run writes no log to disk.</source>
        <translation>Dieser Lauf schreibt kein Protokoll auf die Platte.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::VerdictStrip</name>
    <message>
        <source>Show the charts of memory and compactions</source>
        <translation>Die Diagramme zu Speicher und Verdichtungen zeigen</translation>
    </message>
    <message>
        <source>Share of the text&apos;s information that the compacted cache keeps, measured by repeating the text, next to the loss limit. Click for the quality charts.</source>
        <translation>Anteil der Information des Textes, den der verdichtete Cache behält, gemessen durch Wiederholen des Textes, neben der Verlustgrenze. Ein Klick öffnet die Qualitätsdiagramme.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Limit the loss, and measure from the next compaction on what is kept</source>
        <translation>Den Verlust begrenzen und ab der nächsten Verdichtung messen, was erhalten bleibt</translation>
    </message>
    <message>
        <source>Measure the loss of compaction</source>
        <translation>Den Verlust der Verdichtung messen</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Hide the charts</source>
        <translation>Diagramme verbergen</translation>
    </message>
    <message>
        <source>Show the charts</source>
        <translation>Diagramme zeigen</translation>
    </message>
    <message>
        <source>Opens the charts of memory and compactions.</source>
        <translation>Öffnet die Diagramme zu Speicher und Verdichtungen.</translation>
    </message>
    <message>
        <source>Opens the charts of quality.</source>
        <translation>Öffnet die Qualitätsdiagramme.</translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WelcomePage</name>
    <message>
        <source>What now?</source>
        <translation>Was nun?</translation>
    </message>
    <message>
        <source>Load a model</source>
        <translation>Ein Modell laden</translation>
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
        <source>Compare two settings...</source>
        <translation>Zwei Einstellungen vergleichen...</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>Demo in 20 Sekunden</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>Type below and press Enter. You can paste or drop a long text and then ask about it.</source>
        <translation>Unten schreiben und die Eingabetaste drücken. Sie können einen langen Text einfügen oder hierher ziehen und dann danach fragen.</translation>
    </message>
    <message>
        <source>Any GGUF file, or a folder with safetensors. Your conversations stay. You can also connect to a remote engine.</source>
        <translation>Jede GGUF-Datei oder ein Ordner mit Safetensors. Ihre Gespräche bleiben. Sie können auch mit einer entfernten Engine verbinden.</translation>
    </message>
    <message>
        <source>The bundled model is small (135 million parameters). It can chat a little in English, answer simple questions, write a short story or a small function, and find facts in up to 8,000 tokens of your text. It speaks no other languages and knows few facts: treat what it says as a guess, and load a larger model for more.</source>
        <translation>Das mitgelieferte Modell ist klein (135 Millionen Parameter). Es kann ein wenig Englisch sprechen, einfache Fragen beantworten, eine kurze Geschichte oder eine kleine Funktion schreiben und Fakten in bis zu 8.000 Token Ihres Textes finden. Andere Sprachen kann es nicht, und es kennt wenige Fakten: Behandeln Sie, was es sagt, als Vermutung, und laden Sie für mehr ein größeres Modell.</translation>
    </message>
    <message>
        <source>Choose a profile (Full, Balanced or Frugal), or move the ratio and see in the charts what it costs and saves.</source>
        <translation>Wählen Sie ein Profil (Voll, Ausgewogen oder Sparsam) oder verschieben Sie das Verhältnis und sehen Sie in den Diagrammen, was es kostet und spart.</translation>
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
        <source>Rename conversation...</source>
        <translation>Gespräch umbenennen...</translation>
    </message>
    <message>
        <source>Delete conversation</source>
        <translation>Gespräch löschen</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>Löschen rückgängig machen</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Gespräche durchsuchen</translation>
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
        <source>Connect to an engine...</source>
        <translation>Mit einer Engine verbinden...</translation>
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
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
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
        <source>Reset settings</source>
        <translation>Einstellungen zurücksetzen</translation>
    </message>
    <message>
        <source>Undo setting</source>
        <translation>Einstellung rückgängig machen</translation>
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
        <source>Quality of this model...</source>
        <translation>Qualität dieses Modells...</translation>
    </message>
    <message>
        <source>Cache formats of this model...</source>
        <translation>Cache-Formate dieses Modells...</translation>
    </message>
    <message>
        <source>Memory...</source>
        <translation>Gedächtnis...</translation>
    </message>
    <message>
        <source>Server...</source>
        <translation>Server...</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>Gehe zu: %1</translation>
    </message>
    <message>
        <source>Next panel</source>
        <translation>Nächster Bereich</translation>
    </message>
    <message>
        <source>Pause charts</source>
        <translation>Diagramme anhalten</translation>
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
        <source>Follow the light or dark theme of the system.</source>
        <translation>Dem hellen oder dunklen Design des Systems folgen.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
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
        <source>Copy last code</source>
        <translation>Letzten Code kopieren</translation>
    </message>
    <message>
        <source>Find in conversation</source>
        <translation>Im Gespräch suchen</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
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
        <source>Attach texts, source code or PDFs to the next question.</source>
        <translation>Texte, Quelltext oder PDFs an die nächste Frage anhängen.</translation>
    </message>
    <message>
        <source>Open report...</source>
        <translation>Bericht öffnen...</translation>
    </message>
    <message>
        <source>Close recorded session</source>
        <translation>Aufgezeichnete Sitzung schließen</translation>
    </message>
    <message>
        <source>What now?</source>
        <translation>Was nun?</translation>
    </message>
    <message>
        <source>Demo in 20 seconds</source>
        <translation>Demo in 20 Sekunden</translation>
    </message>
    <message>
        <source>Event log</source>
        <translation>Ereignisprotokoll</translation>
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
        <source>Save cache...</source>
        <translation>Cache speichern...</translation>
    </message>
    <message>
        <source>Load cache...</source>
        <translation>Cache laden...</translation>
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
        <source>This text cannot be changed.</source>
        <translation>Dieser Text lässt sich nicht ändern.</translation>
    </message>
    <message>
        <source>Measure the precision</source>
        <translation>Genauigkeit messen</translation>
    </message>
    <message>
        <source>Skip measuring</source>
        <translation>Messung überspringen</translation>
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
        <source>Skip fitting</source>
        <translation>Anpassung überspringen</translation>
    </message>
    <message>
        <source>A surrogate is being fitted.</source>
        <translation>Ein Surrogat wird angepasst.</translation>
    </message>
    <message>
        <source>No surrogate is being fitted.</source>
        <translation>Es wird kein Surrogat angepasst.</translation>
    </message>
    <message>
        <source>Save this session to a folder as JSON (replayable), PDF, HTML, Markdown, CSV or charts.</source>
        <translation>Diese Sitzung als JSON (wiederholbar), PDF, HTML, Markdown, CSV oder Diagramme in einen Ordner speichern.</translation>
    </message>
    <message>
        <source>Open a recorded session in this window, step through it and run it again.</source>
        <translation>Eine aufgezeichnete Sitzung in diesem Fenster öffnen, schrittweise durchgehen und noch einmal ausführen.</translation>
    </message>
    <message>
        <source>Return to the live session.</source>
        <translation>Zur laufenden Sitzung zurückkehren.</translation>
    </message>
    <message>
        <source>Undo the last change of the text.</source>
        <translation>Die letzte Änderung des Textes rückgängig machen.</translation>
    </message>
    <message>
        <source>Redo the change that was undone.</source>
        <translation>Die rückgängig gemachte Änderung wiederholen.</translation>
    </message>
    <message>
        <source>Cut the selected text to the clipboard.</source>
        <translation>Den markierten Text in die Zwischenablage ausschneiden.</translation>
    </message>
    <message>
        <source>Copy the selected text to the clipboard.</source>
        <translation>Den markierten Text in die Zwischenablage kopieren.</translation>
    </message>
    <message>
        <source>Paste the text from the clipboard.</source>
        <translation>Den Text aus der Zwischenablage einfügen.</translation>
    </message>
    <message>
        <source>Select the whole text.</source>
        <translation>Den ganzen Text markieren.</translation>
    </message>
    <message>
        <source>Click into a text field first.</source>
        <translation>Klicken Sie zuerst in ein Textfeld.</translation>
    </message>
    <message>
        <source>Copy the text of the last answer.</source>
        <translation>Den Text der letzten Antwort kopieren.</translation>
    </message>
    <message>
        <source>Copy the last code block of the last answer.</source>
        <translation>Den letzten Codeblock der letzten Antwort kopieren.</translation>
    </message>
    <message>
        <source>Change the title of this conversation.</source>
        <translation>Den Titel dieses Gesprächs ändern.</translation>
    </message>
    <message>
        <source>Delete this conversation and release its cache; can be undone.</source>
        <translation>Dieses Gespräch löschen und seinen Cache freigeben; lässt sich rückgängig machen.</translation>
    </message>
    <message>
        <source>Restore the conversation deleted last.</source>
        <translation>Das zuletzt gelöschte Gespräch wiederherstellen.</translation>
    </message>
    <message>
        <source>Find words in this conversation and step through the matches.</source>
        <translation>Wörter in diesem Gespräch finden und die Treffer durchgehen.</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Go to the next match.</source>
        <translation>Zum nächsten Treffer gehen.</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Go to the previous match.</source>
        <translation>Zum vorigen Treffer gehen.</translation>
    </message>
    <message>
        <source>Search the titles and messages of all conversations.</source>
        <translation>Titel und Nachrichten aller Gespräche durchsuchen.</translation>
    </message>
    <message>
        <source>Models on this machine and whether they fit, downloads, draft models, calibration, conversion.</source>
        <translation>Modelle auf diesem Rechner und ob sie passen, Downloads, Entwurfsmodelle, Kalibrierung, Umwandlung.</translation>
    </message>
    <message>
        <source>Show the details of a model file without loading it.</source>
        <translation>Die Einzelheiten einer Modelldatei zeigen, ohne sie zu laden.</translation>
    </message>
    <message>
        <source>Measure again, between answers, which arithmetic precision this model needs.</source>
        <translation>Zwischen Antworten neu messen, welche Rechengenauigkeit dieses Modell braucht.</translation>
    </message>
    <message>
        <source>Skip measuring the precision: answers are computed with two 8-bit terms, which every model tolerates.</source>
        <translation>Messung der Genauigkeit überspringen: Antworten werden mit zwei 8-Bit-Termen gerechnet, die jedes Modell verträgt.</translation>
    </message>
    <message>
        <source>Fit again, between answers, the surrogate that predicts which tokens of a text this model needs.</source>
        <translation>Zwischen Antworten das Surrogat neu anpassen, das voraussagt, welche Token eines Textes dieses Modell braucht.</translation>
    </message>
    <message>
        <source>Skip fitting the surrogate: texts are repeated between answers to find out which of their tokens are needed.</source>
        <translation>Anpassung des Surrogats überspringen: Zwischen Antworten werden Texte wiederholt, um herauszufinden, welche Token gebraucht werden.</translation>
    </message>
    <message>
        <source>Let a remote engine answer: vLLM, SGLang, llama-server, another Lacuna or any server with an OpenAI-compatible API.</source>
        <translation>Eine entfernte Engine antworten lassen: vLLM, SGLang, llama-server, ein anderes Lacuna oder jeder Server mit einer OpenAI-kompatiblen API.</translation>
    </message>
    <message>
        <source>Unload the model and free its memory.</source>
        <translation>Das Modell entladen und seinen Speicher freigeben.</translation>
    </message>
    <message>
        <source>Send the prompt.</source>
        <translation>Den Prompt senden.</translation>
    </message>
    <message>
        <source>Stop the answer, the loading of a model, or a compaction in the background.</source>
        <translation>Die Antwort, das Laden eines Modells oder eine Verdichtung im Hintergrund anhalten.</translation>
    </message>
    <message>
        <source>Continue the last answer where it ended.</source>
        <translation>Die letzte Antwort fortsetzen, wo sie endete.</translation>
    </message>
    <message>
        <source>Instructions that the model reads before this conversation.</source>
        <translation>Anweisungen, die das Modell vor diesem Gespräch liest.</translation>
    </message>
    <message>
        <source>Compact the cache of this conversation at the next token with the current settings.</source>
        <translation>Den Cache dieses Gesprächs beim nächsten Token mit den geltenden Einstellungen verdichten.</translation>
    </message>
    <message>
        <source>Discard the compacted cache of this conversation and turn compression off: the next question reads the full text again.</source>
        <translation>Den verdichteten Cache dieses Gesprächs verwerfen und die Kompression ausschalten: Die nächste Frage liest den vollen Text neu.</translation>
    </message>
    <message>
        <source>Restore the selected evicted words and keep them in later compactions. The retention overlay shows which words are evicted.</source>
        <translation>Die markierten verdrängten Wörter wiederherstellen und bei späteren Verdichtungen behalten. „Verbleib einblenden“ zeigt, welche Wörter verdrängt sind.</translation>
    </message>
    <message>
        <source>Save the cache of this conversation to a file, so that its text need not be read again.</source>
        <translation>Den Cache dieses Gesprächs in eine Datei speichern, damit sein Text nicht neu gelesen werden muss.</translation>
    </message>
    <message>
        <source>Load the cache of this conversation from a file; model and settings must match.</source>
        <translation>Den Cache dieses Gesprächs aus einer Datei laden; Modell und Einstellungen müssen übereinstimmen.</translation>
    </message>
    <message>
        <source>Restore the values that all settings had at program start.</source>
        <translation>Die Werte aller Einstellungen vom Programmstart wiederherstellen.</translation>
    </message>
    <message>
        <source>Undo the last setting change or reset.</source>
        <translation>Die letzte Änderung oder das letzte Zurücksetzen von Einstellungen rückgängig machen.</translation>
    </message>
    <message>
        <source>Freeze the charts; recording continues.</source>
        <translation>Die Diagramme einfrieren; die Aufzeichnung läuft weiter.</translation>
    </message>
    <message>
        <source>Show the focused chart or map, or all visible ones, as a table, and back.</source>
        <translation>Das Diagramm oder die Karte mit dem Fokus oder alle sichtbaren als Tabelle zeigen, und zurück.</translation>
    </message>
    <message>
        <source>Switch between light and dark.</source>
        <translation>Zwischen Hell und Dunkel wechseln.</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>Systemdesign</translation>
    </message>
    <message>
        <source>Use this language from the next start of Lacuna.</source>
        <translation>Diese Sprache ab dem nächsten Start von Lacuna verwenden.</translation>
    </message>
    <message>
        <source>Language from the next start of Lacuna: %1.</source>
        <translation>Sprache ab dem nächsten Start von Lacuna: %1.</translation>
    </message>
    <message>
        <source>Try methods, ratios and budgets on this conversation and plot the cost and loss of each.</source>
        <translation>Methoden, Verhältnisse und Budgets an diesem Gespräch probieren und Kosten und Verlust jeweils zeichnen.</translation>
    </message>
    <message>
        <source>Recall, RULER score and cost of every method at every ratio, for the model in use.</source>
        <translation>Recall, RULER-Wertung und Kosten jeder Methode bei jedem Verhältnis, für das Modell in Gebrauch.</translation>
    </message>
    <message>
        <source>Presets and bits of keys and values, and what each costs on the model in use: bytes, divergence, recall, speed.</source>
        <translation>Voreinstellungen und Bits von Schlüsseln und Werten und was jede beim Modell in Gebrauch kostet: Bytes, Divergenz, Recall, Geschwindigkeit.</translation>
    </message>
    <message>
        <source>Prefixes stored in memory and on disk, what they saved, and how each conversation uses them.</source>
        <translation>Im Speicher und auf der Platte gespeicherte Präfixe, was sie gespart haben und wie jedes Gespräch sie nutzt.</translation>
    </message>
    <message>
        <source>Let other programs use the loaded model: switch the server on and off, watch its answers, copy client examples.</source>
        <translation>Andere Programme das geladene Modell nutzen lassen: den Server ein- und ausschalten, seine Antworten verfolgen, Client-Beispiele kopieren.</translation>
    </message>
    <message>
        <source>Ways to continue: chat, load a model, tune; and what the bundled model can do.</source>
        <translation>Wie es weitergeht: chatten, ein Modell laden, abstimmen; und was das mitgelieferte Modell kann.</translation>
    </message>
    <message>
        <source>The model reads a page and is asked for a fact; the cache is made four times smaller, and it is asked for another.</source>
        <translation>Das Modell liest eine Seite und wird nach einem Fakt gefragt; der Cache wird viermal kleiner, und es wird nach einem anderen gefragt.</translation>
    </message>
    <message>
        <source>Full demo with report</source>
        <translation>Volle Demo mit Bericht</translation>
    </message>
    <message>
        <source>A short chat, then facts asked of a long text, with the full cache and with compacted ones; about two minutes.</source>
        <translation>Ein kurzes Gespräch, dann Fragen nach Fakten in einem langen Text, mit dem vollen Cache und mit verdichteten; etwa zwei Minuten.</translation>
    </message>
    <message>
        <source>No remote engine is connected.</source>
        <translation>Keine entfernte Engine ist verbunden.</translation>
    </message>
    <message>
        <source>This conversation is empty.</source>
        <translation>Dieses Gespräch ist leer.</translation>
    </message>
    <message>
        <source>Remote engine %1 answers this conversation.</source>
        <translation>Die entfernte Engine %1 beantwortet dieses Gespräch.</translation>
    </message>
    <message>
        <source>Say hello, or paste a long text and ask about it: the charts show what its cache costs.

Help &gt; Demo in 20 seconds shows it; Help &gt; What now? lists ways to continue.</source>
        <translation>Sagen Sie Hallo, oder fügen Sie einen langen Text ein und fragen Sie danach: Die Diagramme zeigen, was sein Cache kostet.

Hilfe &gt; Demo in 20 Sekunden zeigt es; Hilfe &gt; Was nun? nennt Möglichkeiten, fortzufahren.</translation>
    </message>
    <message>
        <source>Model &gt; Load the bundled model (Ctrl+Shift+O) loads the small model that ships with Lacuna; Models... lists and downloads others.</source>
        <translation>Modell &gt; Mitgeliefertes Modell laden (Strg+Umschalt+O) lädt das kleine Modell, das mit Lacuna kommt; Modelle... zeigt andere und lädt sie herunter.</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered in parallel.</source>
        <translation>
            <numerusform>%1 und %n anderes Gespräch werden beantwortet; eine Frage hier wird parallel beantwortet.</numerusform>
            <numerusform>%1 und %n andere Gespräche werden beantwortet; eine Frage hier wird parallel beantwortet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them.</source>
        <translation>
            <numerusform>%1 und %n anderes Gespräch werden beantwortet; eine Frage hier wartet auf eines davon.</numerusform>
            <numerusform>%1 und %n andere Gespräche werden beantwortet; eine Frage hier wartet auf eines davon.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is being answered; a question here is answered in parallel.</source>
        <translation>%1 wird beantwortet; eine Frage hier wird parallel beantwortet.</translation>
    </message>
    <message>
        <source>%1 is being answered; a question here waits for it.</source>
        <translation>%1 wird beantwortet; eine Frage hier wartet darauf.</translation>
    </message>
    <message>
        <source>Show the retention overlay first, then select words in it.</source>
        <translation>Blenden Sie zuerst den Verbleib ein, und markieren Sie dann Wörter darin.</translation>
    </message>
    <message>
        <source>Select evicted words first.</source>
        <translation>Markieren Sie zuerst verdrängte Wörter.</translation>
    </message>
    <message>
        <source>The cache holds all of the selected words.</source>
        <translation>Der Cache hält alle markierten Wörter.</translation>
    </message>
    <message>
        <source>The cache was discarded and compression is off. The next question reads the full text again, about %1 tokens.</source>
        <translation>Der Cache wurde verworfen, die Kompression ist aus. Die nächste Frage liest den vollen Text neu, etwa %1 Token.</translation>
    </message>
    <message>
        <source>The last answer has no code block.</source>
        <translation>Die letzte Antwort hat keinen Codeblock.</translation>
    </message>
    <message>
        <source>Restore full cache</source>
        <translation>Vollen Cache wiederherstellen</translation>
    </message>
    <message>
        <source>Show the page %1.</source>
        <translation>Die Seite %1 zeigen.</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>%1 zeigen</translation>
    </message>
    <message>
        <source>Show or hide the %1 on the chat page.</source>
        <translation>%1 auf der Chat-Seite zeigen oder verbergen.</translation>
    </message>
    <message>
        <source>Show the %1 and move the focus there.</source>
        <translation>%1 zeigen und den Fokus dorthin setzen.</translation>
    </message>
    <message>
        <source>Move the focus through the panels.</source>
        <translation>Den Fokus durch die Bereiche bewegen.</translation>
    </message>
    <message>
        <source>Restore words</source>
        <translation>Wörter wiederherstellen</translation>
    </message>
    <message>
        <source>The timeline: events of this session, and the program log of this run and earlier ones.</source>
        <translation>Die Zeitleiste: Ereignisse dieser Sitzung und das Programmprotokoll dieses Laufs und früherer.</translation>
    </message>
    <message>
        <source>The cache of this conversation is empty: its text is read again with the next question.</source>
        <translation>Der Cache dieses Gesprächs ist leer: Sein Text wird mit der nächsten Frage neu gelesen.</translation>
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
        <source>The next question reads the full text again, about %1 tokens, because the start of the prompt changes.</source>
        <translation>Die nächste Frage liest den vollen Text neu, etwa %1 Token, weil sich der Anfang des Prompts ändert.</translation>
    </message>
    <message>
        <source>Current settings of the window: %1. What is cached is compacted when the next answer needs it, or now with Compact now (F9).</source>
        <translation>Geltende Einstellungen des Fensters: %1. Was im Cache steht, wird verdichtet, wenn die nächste Antwort es braucht, oder sofort mit „Jetzt verdichten“ (F9).</translation>
    </message>
    <message>
        <source>Saved to %1.</source>
        <translation>Gespeichert in %1.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stored prefixes</source>
        <translation>Gespeicherte Präfixe</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>Lokaler Server</translation>
    </message>
    <message>
        <source>Remote engines</source>
        <translation>Entfernte Engines</translation>
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
        <source>Restore and regenerate</source>
        <translation>Wiederherstellen und neu antworten</translation>
    </message>
</context>
</TS>
