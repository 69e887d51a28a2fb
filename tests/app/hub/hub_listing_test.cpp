#include "app/hub/hub_listing.h"

#include <gtest/gtest.h>

namespace lacuna::app {
namespace {

QByteArray entry(const QByteArray& path, qint64 size, const QByteArray& digest = {}) {
    QByteArray text =
        R"({"type":"file","path":")" + path + R"(","oid":"ab","size":)" + QByteArray::number(size);
    if (!digest.isEmpty())
        text += R"(,"lfs":{"oid":")" + digest + R"(","size":)" + QByteArray::number(size) +
                R"(,"pointerSize":134})";
    return text + "}";
}

TEST(HubListing, list_isParsedWithSizesAndDigests) {
    const QByteArray digest(64, 'A');
    const auto files =
        filesIn("[" + entry("README.md", 10) + R"(,{"type":"directory","path":"x"},)" +
                entry("x/m.gguf", 5'000'000'000, digest) + "," +
                entry("n.gguf", 7, "sha256:" + QByteArray(64, 'b')) + "]");
    ASSERT_TRUE(files);
    ASSERT_EQ(files->size(), 3);
    EXPECT_TRUE((*files)[0].sha256.isEmpty()) << "the oid of Git is no digest of the file";
    EXPECT_EQ((*files)[1].size, 5'000'000'000);
    EXPECT_EQ((*files)[1].sha256, QString(64, QLatin1Char('a')));
    EXPECT_EQ((*files)[2].sha256, QString(64, QLatin1Char('b')));
}

TEST(HubListing, invalidList_isRejectedWithAMessage) {
    const QByteArray deep = QByteArray(5000, '[') + QByteArray(5000, ']');
    for (const QByteArray& text :
         {QByteArray(), QByteArray("<html>"), QByteArray("{}"), QByteArray("[1]"), QByteArray("[{"),
          QByteArray(R"([{"type":"file"}])"), QByteArray(R"([{"type":"file","path":7}])"), deep}) {
        const auto files = filesIn(text);
        ASSERT_FALSE(files) << text.left(40).toStdString();
        EXPECT_EQ(files.error().fault, HubFault::Listing);
        EXPECT_FALSE(files.error().sentence.isEmpty());
    }
    EXPECT_EQ(filesIn(R"([{"type":"file","path":"a.gguf","size":-7}])")->front().size, -1);
    EXPECT_EQ(filesIn(R"([{"type":"file","path":"a.gguf","size":1e300}])")->front().size, -1);
    EXPECT_EQ(filesIn(R"([{"type":"file","path":"a","lfs":{"oid":"xyz"}}])")->front().sha256,
              QString());
}

TEST(HubListing, models_areGroupedAsFilesSplitSetsAndFolders) {
    const QVector<HubFile> files{{QStringLiteral("m-00002-of-00002.gguf"), 20},
                                 {QStringLiteral("m-00001-of-00002.gguf"), 10},
                                 {QStringLiteral("n-00001-of-00003.gguf"), 1},
                                 {QStringLiteral("single.gguf"), 5},
                                 {QStringLiteral("model.safetensors"), 100},
                                 {QStringLiteral("config.json"), 2},
                                 {QStringLiteral("sub/config.json"), 2},
                                 {QStringLiteral("run.py"), 3}};
    const auto models = modelsIn(files, QStringLiteral("repo"));
    ASSERT_EQ(models.size(), 4);
    EXPECT_FALSE(models[0].problem.isEmpty()) << "two of three parts are missing";
    EXPECT_EQ(models[1].name, QStringLiteral("single.gguf"));
    EXPECT_EQ(models[2].bytes(), 30);
    EXPECT_EQ(models[2].files[0].path, QStringLiteral("m-00001-of-00002.gguf"));
    EXPECT_TRUE(models[3].folder);
    EXPECT_EQ(models[3].name, QStringLiteral("repo"));
    ASSERT_EQ(models[3].files.size(), 2) << "no program comes along";
    EXPECT_EQ(models[3].files[0].path, QStringLiteral("config.json"));
    EXPECT_EQ(nextPage("<https://h/x?cursor=1>; rel=\"next\""),
              QStringLiteral("https://h/x?cursor=1"));
    EXPECT_EQ(nextPage("<https://h/x>; rel=\"prev\""), QString());
}

}  // namespace
}  // namespace lacuna::app
