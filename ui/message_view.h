#pragma once
/// \file
/// One message of the chat: who, text, a strip of figures under an answer, and actions that appear
/// on hover and on keyboard focus. Height follows the text.

#include <QFrame>
#include <QTextBrowser>
#include <memory>

#include "app/state/view_types.h"

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

  protected:
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

    const ThemeSource& m_themes;
    app::ChatLine m_line;
    QLabel* m_who = nullptr;
    QWidget* m_actions = nullptr;
    MessageText* m_text = nullptr;
    QLabel* m_figures = nullptr;
    QLabel* m_problem = nullptr;
    std::unique_ptr<MarkdownWriter> m_writer;
};

}  // namespace lacuna::ui
