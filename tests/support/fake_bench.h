#pragma once
/// \file
/// A lacuna-bench controlled by the test, in a folder of its own. GUI thread.

#include <QFile>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <string>

#include "engine/quality/table_files.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {

class FakeBench {
  public:
    FakeBench() {
        const std::filesystem::path bin = folder_.path() / "bin";
        std::filesystem::create_directories(bin);
        std::filesystem::create_directories(folder_.path() / "data");
        [[maybe_unused]] const auto beside = folder_.write("bin/lacuna", "");
        const auto script = folder_.write("bin/lacuna-bench", R"(#!/bin/sh
cd "$(dirname "$0")/.." || exit 1
echo "$*" >> asked
trap 'exit 143' TERM
while :; do
  for line in said*; do
    [ -e "$line" ] && cat "$line" >&2 && rm "$line"
  done
  if [ -e end ]; then status=$(cat end); rm end; exit "$status"; fi
  sleep 0.02
done
)");
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    }

    /// Returns the program next to which it is installed.
    [[nodiscard]] QString program() const { return pathOf("bin/lacuna"); }
    [[nodiscard]] QString dataFolder() const { return pathOf("data"); }
    /// Returns the command lines of its runs.
    [[nodiscard]] QStringList asked() const {
        QFile file(pathOf("asked"));
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    }
    /// Writes a line to its standard error.
    void say(const std::string& line) {
        put("said" + std::to_string(kFirst + said_++), line + "\n");
    }
    /// Ends it with this status after all its output.
    void end(int status) { put("end", std::to_string(status)); }
    /// Writes a table to its usual path.
    void keep(const QualityTable& table) const {
        const auto files = tableFiles(dataFolder().toStdString(), table.fingerprint, table.size);
        [[maybe_unused]] const Status kept = storeTable(files.table, table);
    }

  private:
    [[nodiscard]] QString pathOf(const char* name) const {
        return QString::fromStdString((folder_.path() / name).string());
    }
    /// Writes a file atomically.
    void put(const std::string& name, const std::string& text) {
        const auto written = folder_.write("written", text);
        std::filesystem::rename(written, folder_.path() / name);
    }

    static constexpr int kFirst = 1000;  ///< makes names sort like numbers
    TemporaryFolder folder_;
    int said_ = 0;
};

}  // namespace lacuna::test
