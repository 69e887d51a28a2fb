#pragma once
/// \file
/// A bar with a sentence and buttons: side by side if they fit, otherwise with the buttons above or
/// below the sentence, whichever makes the bar lower. Base of the notice bar and the demo bar. GUI
/// thread.

#include <QFrame>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace lacuna::ui {

class MessageBar : public QFrame {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent);

  protected:
    /// Topic of the sentence in a word or two; hidden without a text.
    [[nodiscard]] QLabel& title() { return *m_title; }
    [[nodiscard]] QLabel& words() { return *m_sentence; }
    [[nodiscard]] const QLabel& words() const { return *m_sentence; }
    void addButton(QPushButton* button);
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    enum class Form { Background, Apart };
    void fit();
    void arrange(Form form);

    QGridLayout* m_grid;
    QLabel* m_title;
    QLabel* m_sentence;
    QWidget* m_row;
    QHBoxLayout* m_buttons;
    Form m_form = Form::Background;
    bool m_titled = false;  ///< the title was visible at the last layout
};

}  // namespace lacuna::ui
