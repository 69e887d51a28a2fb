<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
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
        <source>%n message(s) of this conversation are not what was written: they were damaged on disk, and say so.</source>
        <translation>
            <numerusform>%n message of this conversation is not what was written: it was damaged on disk, and says so.</numerusform>
            <numerusform>%n messages of this conversation are not what was written: they were damaged on disk, and say so.</numerusform>
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
    <name>lacuna::ui::MessageActions</name>
    <message numerus="yes">
        <source>Deleted branch %1 of %2, with %n message(s).</source>
        <translation>
            <numerusform>Deleted branch %1 of %2, with %n message.</numerusform>
            <numerusform>Deleted branch %1 of %2, with %n messages.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Pinned. Compactions had forgotten %n of these tokens before: what is left stays, and they can be brought back.</source>
        <translation>
            <numerusform>Pinned. Compactions had forgotten %n of these tokens before: what is left stays, and it can be brought back.</numerusform>
            <numerusform>Pinned. Compactions had forgotten %n of these tokens before: what is left stays, and they can be brought back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lacuna::ui::WindowActions</name>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here is answered beside them.</source>
        <translation>
            <numerusform>%1 and %n other conversation are being answered; a question here is answered beside them.</numerusform>
            <numerusform>%1 and %n other conversations are being answered; a question here is answered beside them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n other conversation(s) are being answered; a question here waits for one of them to end.</source>
        <translation>
            <numerusform>%1 and %n other conversation are being answered; a question here waits for one of them to end.</numerusform>
            <numerusform>%1 and %n other conversations are being answered; a question here waits for one of them to end.</numerusform>
        </translation>
    </message>
</context>
</TS>
