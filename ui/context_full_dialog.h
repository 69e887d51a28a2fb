#pragma once
/// \file
/// What can be done when the context has no room for a question or for more of an answer: one place
/// for every way on, each with what it costs. Stays open next to the conversation. GUI thread.

#include <QDialog>
#include <QString>

class QLabel;

namespace lacuna::ui {

class ContextFullDialog final : public QDialog {
    Q_OBJECT

  public:
    /// What there is to choose from; a reason says why a way is closed, empty: it is open.
    struct Ways {
        QString noShift;        ///< letting the older half go while the text goes on
        int largerContext = 0;  ///< tokens that the model can have; 0: it has them already
        QString noNewerHalf;    ///< a new conversation with the newer half
    };

    explicit ContextFullDialog(QWidget* parent);
    /// `sentence` says what had no room.
    void show(const QString& sentence, const Ways& ways);

  Q_SIGNALS:
    void shiftWanted();
    void largerContextWanted(int tokens);
    void newerHalfWanted();

  private:
    QLabel* m_sentence;
    QWidget* m_ways = nullptr;  ///< made anew each time
};

}  // namespace lacuna::ui
