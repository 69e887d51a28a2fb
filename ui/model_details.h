#pragma once
/// \file
/// What a model file is and what it would take on this machine, on one page: sections of labelled
/// lines, a sentence with the verdict, and a button that loads it when it is not in use.

#include <QDialog>

#include "app/state/view_types.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace lacuna::ui {

class ModelDetails final : public QDialog {
    Q_OBJECT

  public:
    explicit ModelDetails(QWidget* parent);
    /// Replaces the page and brings the window to the front.
    void show(const app::ModelPageView& page, bool inUse);
    /// The page as text, "label: value" lines under their headings.
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void loadAsked(const QString& path);

  private:
    void fill(const app::ModelPageView& page);

    app::ModelPageView m_page;
    QLabel* m_heading;
    QLabel* m_verdict;
    QTreeWidget* m_tree;
    QPushButton* m_load;
};

}  // namespace lacuna::ui
