<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>MemoryVerdict</name>
    <message numerus="yes">
        <source>%n compaction(s)</source>
        <translation>
            <numerusform>%n compaction</numerusform>
            <numerusform>%n compactions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationListModel</name>
    <message numerus="yes">
        <source>%1, %n message(s)</source>
        <translation>
            <numerusform>%1, %n message</numerusform>
            <numerusform>%1, %n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::app::ConversationStorage</name>
    <message numerus="yes">
        <source>%n message(s) of this conversation were damaged on disk and are marked.</source>
        <translation>
            <numerusform>%n message of this conversation was damaged on disk and is marked.</numerusform>
            <numerusform>%n messages of this conversation were damaged on disk and are marked.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageActions</name>
    <message numerus="yes">
        <source>Deleted branch %1 of %2, with %n message(s).</source>
        <translation>
            <numerusform>Deleted branch %1 of %2, with %n message.</numerusform>
            <numerusform>Deleted branch %1 of %2, with %n messages.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Pinned. %n of these tokens were already evicted; they can be restored.</source>
        <translation>
            <numerusform>Pinned. %n of these tokens was already evicted; it can be restored.</numerusform>
            <numerusform>Pinned. %n of these tokens were already evicted; they can be restored.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::ui::MessageView</name>
    <message numerus="yes">
        <source>%n pinned</source>
        <translation>
            <numerusform>%n pinned</numerusform>
            <numerusform>%n pinned</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowActions</name>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered in parallel.</source>
        <translation>
            <numerusform>%1 and %n other conversation are being answered; a question here is answered in parallel.</numerusform>
            <numerusform>%1 and %n other conversations are being answered; a question here is answered in parallel.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them.</source>
        <translation>
            <numerusform>%1 and %n other conversation are being answered; a question here waits for one of them.</numerusform>
            <numerusform>%1 and %n other conversations are being answered; a question here waits for one of them.</numerusform>
        </translation>
    </message>
</context>
</TS>
