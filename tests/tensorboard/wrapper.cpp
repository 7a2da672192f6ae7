// SPDX-License-Identifier: MIT
// wrapper.cpp - the header for C++: wrapper DIRECTORY writes a run below it, and fails as it
// should.
#include <stepwatch/tensorboard.hpp>

#include <cstdio>
#include <cstring>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::string directory = argv[1];
    stepwatch::event_writer first(directory + "/run", ".cpp");
    stepwatch::event_writer writer = std::move(first);
    writer.describe("loss", "from *C++*");
    for (int step = 0; step < 3; step++)
        writer.scalar(std::string("loss"), step, 0.5 * step);
    writer.scalars(3, {{"loss", 1.5}, {"rate", 2.5}});
    writer.histogram("weights", 3, {1.0, 2.0, 3.0});
    writer.text("notes", 3, "**bold**");
    writer.flush();
    std::string path = sw_tb_path(writer.get());
    writer.close();
    try {
        stepwatch::event_writer refused(path);
        return 3;
    } catch (const std::runtime_error &error) {
        if (!std::strstr(error.what(), "is not a directory"))
            return 4;
    }
    return writer.get() || first.get() ? 5 : 0;
}
