// Copies lines from the standard input to the standard output. Lines that are not UTF-8 are repaired, and reported.
#include <iostream>
#include <string>

#include <trust8.hpp>

int main() {
    std::string line;
    for (int number = 1; std::getline(std::cin, line); number++) {
        if (const auto text = trust8::validate(line)) {
            std::cout << *text << '\n';
        } else {
            std::cout << trust8::lossy(line) << '\n';
            std::cerr << "line " << number << ": " << text.error().message() << '\n';
        }
    }
}
