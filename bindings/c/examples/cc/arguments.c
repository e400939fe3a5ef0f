/* Says of each argument whether it is UTF-8. The exit code is the number of those that are not. */
#include <stdio.h>
#include <string.h>

#include <trust8.h>

int main(int argc, char **argv) {
    int wrong = 0;
    for (int i = 1; i < argc; i++) {
        const size_t len = strlen(argv[i]);
        trust8_error error;
        if (trust8_validate(argv[i], len, &error)) {
            printf("%d: %zu characters\n", i, trust8_count_chars(argv[i], len));
        } else {
            char message[256];
            trust8_explain(&error, argv[i], len, message, sizeof message);
            printf("%d: %s\n", i, message);
            wrong++;
        }
    }
    return wrong;
}
