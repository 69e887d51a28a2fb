#pragma once
/// \file
/// Actions that write the current conversation to a file as Markdown, JSON or a web page. GUI
/// thread.

#include <QObject>
#include <QString>

namespace lacuna::app {
class ConversationList;
struct ConversationRecord;
}  // namespace lacuna::app

namespace lacuna::ui {

class ActionRegistry;
class FileDialogs;
class NoticeBar;

enum class ConversationFormat { Markdown, Json, Html };
[[nodiscard]] QByteArray exported(const app::ConversationRecord& record, ConversationFormat format);

class ConversationExporter final : public QObject {
    Q_OBJECT

  public:
    /// Registers the actions in the File menu; all references must outlive this object. `window` is
    /// the parent of dialogs.
    ConversationExporter(ActionRegistry& actions, app::ConversationList& conversations,
                         FileDialogs& files, NoticeBar& notice, QWidget& window);
    /// Writes the current conversation and reports the result.
    void write(ConversationFormat format, const QString& path);

  private:
    void ask(ConversationFormat format);
    void refresh();

    ActionRegistry& m_actions;
    app::ConversationList& m_conversations;
    FileDialogs& m_files;
    NoticeBar& m_notice;
    QWidget& m_window;
};

}  // namespace lacuna::ui
