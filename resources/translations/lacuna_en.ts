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
</TS>
