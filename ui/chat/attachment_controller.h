#pragma once
/// \file
/// Handles the prompt before sending: turns chosen, dropped or pasted files into attachments and
/// counts the content in tokens of the current model. GUI thread.

#include <QObject>
#include <QStringList>
#include <QTimer>

#include "app/state/chat/token_counts.h"
#include "app/state/files/text_files.h"

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ContextStrip;
class NoticeBar;
class PromptBox;

class AttachmentController final : public QObject {
    Q_OBJECT

  public:
    /// All references must outlive this object.
    AttachmentController(app::ApplicationState& state, PromptBox& prompt, ContextStrip& context,
                         NoticeBar& notice);
    /// Reads the files and attaches those that are text; a notice reports why a file was rejected.
    void attachFiles(const QStringList& paths);

  private:
    void followModel();
    void count();
    void showRoom();

    app::ApplicationState& m_state;
    PromptBox& m_prompt;
    ContextStrip& m_context;
    NoticeBar& m_notice;
    app::TextFiles m_files;
    app::TokenCounts m_counts;
    QTimer m_rest;  ///< delay between the last key and the count
};

}  // namespace lacuna::ui
