#pragma once
/// \file
/// What goes on around the prompt before anything is sent: files that were chosen, dropped or
/// pasted become attachments, and what stands there is counted in tokens of the model in use. GUI
/// thread.

#include <QObject>
#include <QStringList>
#include <QTimer>

#include "app/state/text_files.h"
#include "app/state/token_counts.h"

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ContextStrip;
class NoticeBar;
class PromptBox;

class PromptDesk final : public QObject {
    Q_OBJECT

  public:
    /// All outlive it.
    PromptDesk(app::ApplicationState& state, PromptBox& prompt, ContextStrip& context,
               NoticeBar& notice);
    /// Reads them and attaches what is text; a notice says why something is not.
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
    QTimer m_rest;  ///< from the last key to the counting
};

}  // namespace lacuna::ui
