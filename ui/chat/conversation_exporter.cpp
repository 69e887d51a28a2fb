#include "ui/chat/conversation_exporter.h"

#include <QDir>
#include <QRegularExpression>
#include <array>

#include "app/state/chat/conversation_export.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/files/program_files.h"
#include "app/state/storage/conversation_database.h"
#include "ui/chat/conversation_html.h"
#include "ui/window/action_registry.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {

namespace {

struct Kind {
    ConversationFormat format;
    const char* id;
    const char* suffix;
};
constexpr std::array kKinds{Kind{ConversationFormat::Markdown, "chat.exportMarkdown", "md"},
                            Kind{ConversationFormat::Json, "chat.exportJson", "json"},
                            Kind{ConversationFormat::Html, "chat.exportHtml", "html"}};

/// A title as a file name.
QString fileName(const QString& title) {
    static const QRegularExpression unusable(QStringLiteral("[^\\w\\-. ]+"),
                                             QRegularExpression::UseUnicodePropertiesOption);
    const QString name = QString(title).replace(unusable, QStringLiteral(" ")).simplified();
    return name.isEmpty() ? QStringLiteral("conversation") : name;
}

}  // namespace

QByteArray exported(const app::ConversationRecord& record, ConversationFormat format) {
    switch (format) {
        case ConversationFormat::Markdown:
            return app::conversationMarkdown(record).toUtf8();
        case ConversationFormat::Json:
            return app::conversationJson(record);
        case ConversationFormat::Html:
            return conversationHtml(record).toUtf8();
    }
    return {};
}

ConversationExporter::ConversationExporter(ActionRegistry& actions,
                                           app::ConversationList& conversations, FileDialogs& files,
                                           NoticeBar& notice, QWidget& window)
    : m_actions(actions),
      m_conversations(conversations),
      m_files(files),
      m_notice(notice),
      m_window(window) {
    const QString names[] = {tr("Markdown..."), tr("JSON..."), tr("Web page...")};
    const QString tips[] = {tr("Save this conversation as a Markdown file."),
                            tr("Save this conversation as JSON, with every branch."),
                            tr("Save this conversation as a web page in one file.")};
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        actions.add({.id = QString::fromLatin1(kKinds[i].id),
                     .text = names[i],
                     .tooltip = tips[i],
                     .menu = Menu::File,
                     .submenu = tr("Export conversation")},
                    [this, format = kKinds[i].format] { ask(format); });
    connect(&conversations, &app::ConversationList::currentChanged, this,
            &ConversationExporter::refresh);
    connect(&conversations, &app::ConversationList::stateChanged, this,
            &ConversationExporter::refresh);
    refresh();
}

void ConversationExporter::refresh() {
    const QString reason =
        m_conversations.isEmpty() ? tr("This conversation is empty.") : QString();
    for (const Kind& kind : kKinds) m_actions.setReason(QString::fromLatin1(kind.id), reason);
}

void ConversationExporter::ask(ConversationFormat format) {
    const Kind& kind = kKinds[static_cast<std::size_t>(format)];
    const QString suffix = QString::fromLatin1(kind.suffix);
    m_files.ask(&m_window,
                {.kind = FileKind::Conversation,
                 .want = FileQuestion::Want::NewFile,
                 .title = tr("Export conversation"),
                 .filter = QStringLiteral("*.") + suffix,
                 .name = fileName(m_conversations.title(m_conversations.current())) +
                         QLatin1Char('.') + suffix},
                [this, format](const QString& path) { write(format, path); });
}

void ConversationExporter::write(ConversationFormat format, const QString& path) {
    const app::ConversationRecord record = m_conversations.record(m_conversations.current());
    const QString problem = app::saveFile(path, exported(record, format));
    if (problem.isEmpty())
        m_notice.showMessage(
            NoticeKind::Success,
            tr("Conversation exported to %1.").arg(QDir::toNativeSeparators(path)));
    else
        m_notice.showMessage(NoticeKind::Problem, problem);
}

}  // namespace lacuna::ui
