#pragma once
/// \file
/// Name and facts of the loaded model, progress of a load. Sits at the left of the tool bar.

#include <QWidget>

#include "app/state/view_types.h"

class QLabel;
class QProgressBar;

namespace lacuna::ui {

class ModelBar final : public QWidget {
    Q_OBJECT

  public:
    explicit ModelBar(QWidget* parent = nullptr);
    void show(const app::ModelView& model);

  private:
    QLabel* m_name;
    QLabel* m_facts;
    QProgressBar* m_progress;
};

}  // namespace lacuna::ui
