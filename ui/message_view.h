#pragma once
/// \file
/// One message of the chat: who, text, a strip of figures under an answer, and actions that appear
/// on hover and on keyboard focus. Height follows the text.

#include <QFrame>
#include <QTextBrowser>
#include <functional>
#include <memory>
#include <optional>

#include "app/state/view_types.h"
#include "ui/retention_text.h"

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace lacuna::ui {

class MarkdownWriter;
class ThemeSource;

/// Text as high as it needs to be, without scroll bars of its own.
class MessageText final : public QTextBrowser {
    Q_OBJECT

  public:
    explicit MessageText(QWidget* parent);
    /// What the tool tip says about the letter at a place of the text; empty function: nothing.
    std::function<QString(int place)> tipAt;

  protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    void fitHeight();
};

class MessageView final : public QFrame {
    Q_OBJECT

  public:
    MessageView(const app::ChatLine& line, const ThemeSource& themes, QWidget* parent);
    ~MessageView() override;
    void appendText(const QString& text);
    void show(const app::ChatLine& line);
    void applyTheme();
    /// Shows the words as they were sent, tinted; none: formatted again.
    void setTint(std::optional<MessageTint> tint);

  Q_SIGNALS:
    void regenerateWanted();

  protected:
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildHead(QVBoxLayout* layout);
    void buildAttachment(QVBoxLayout* layout);
    void buildFoot(QVBoxLayout* layout);
    void showFigures();
    void showActions();
    void copyText() const;
    void writeText();

    const ThemeSource& m_themes;
    app::ChatLine m_line;
    QLabel* m_who = nullptr;
    QWidget* m_actions = nullptr;
    MessageText* m_text = nullptr;
    QLabel* m_figures = nullptr;
    QLabel* m_problem = nullptr;
    std::unique_ptr<MarkdownWriter> m_writer;  ///< of an answer that is not tinted
    std::optional<MessageTint> m_tint;
    QVector<TintRun> m_runs;  ///< as written
};

}  // namespace lacuna::ui
