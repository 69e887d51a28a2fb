#include "ui/side_settings.h"

#include <QGridLayout>

#include "app/state/config_controller.h"
#include "ui/knob_row.h"

namespace lacuna::ui {

namespace {

/// Two columns, row by row.
const QStringList& sideKeys() {
    static const QStringList keys{QStringLiteral("method"), QStringLiteral("kv_type"),
                                  QStringLiteral("am_ratio"), QStringLiteral("budget")};
    return keys;
}

}  // namespace

SideSettings::SideSettings(app::ConfigController& config, QWidget* parent)
    : QWidget(parent), m_config(config) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(0);
    for (int i = 0; i < sideKeys().size(); ++i) {
        const QString& key = sideKeys()[i];
        auto* row = new KnobRow(config.knob(key), this);
        m_rows.insert(key, row);
        grid->addWidget(row, i / 2, i % 2, Qt::AlignTop);
        grid->setColumnStretch(i % 2, 1);
        connect(row, &KnobRow::moved, &config, [&config](const QString& knob, const QString& text) {
            config.edit(knob, text, app::EditPace::Moving);
        });
        connect(row, &KnobRow::settled, &config,
                [&config](const QString& knob, const QString& text) {
                    config.edit(knob, text, app::EditPace::Settled);
                });
        connect(row, &KnobRow::nearestWanted, &config, &app::ConfigController::useNearest);
        connect(row, &KnobRow::discardWanted, &config, &app::ConfigController::discard);
    }
    connect(&config, &app::ConfigController::knobChanged, this, &SideSettings::refresh);
    connect(&config, &app::ConfigController::knobsChanged, this, &SideSettings::refresh);
}

void SideSettings::refresh() {
    for (auto row = m_rows.begin(); row != m_rows.end(); ++row)
        row.value()->show(m_config.knob(row.key()));
}

}  // namespace lacuna::ui
