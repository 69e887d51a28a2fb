#pragma once
/// \file
/// The conversation as a column of messages; follows a ChatModel and keeps to the end while text
/// streams, unless the person has scrolled away.

#include <QList>
#include <QPointer>
#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace lacuna::app {
class ChatModel;
struct RetentionView;
}  // namespace lacuna::app

namespace lacuna::ui {

class MessageView;
class ThemeSource;

class ChatView final : public QScrollArea {
    Q_OBJECT

  public:
    explicit ChatView(const ThemeSource& themes, QWidget* parent = nullptr);
    void setModel(app::ChatModel* model);
    /// What stands in an empty conversation.
    void setEmptyText(const QString& text);
    /// Tints every message by what the cache holds of its words; the next answer is plain until the
    /// next call.
    void showRetention(const app::RetentionView& view);
    /// Back to formatted text.
    void showPlain();
    [[nodiscard]] int messageCount() const { return static_cast<int>(m_messages.size()); }

  Q_SIGNALS:
    void regenerateWanted();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void rebuild();
    void insertRows(int first, int last);
    void removeRows(int first, int last);
    void showEmpty();
    void toEnd();
    [[nodiscard]] bool atEnd() const;

    const ThemeSource& m_themes;
    QPointer<app::ChatModel> m_model;
    QWidget* m_page;
    QVBoxLayout* m_column;
    QLabel* m_empty;
    QList<MessageView*> m_messages;
    bool m_follow = true;
};

}  // namespace lacuna::ui
