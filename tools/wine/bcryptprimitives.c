/* The one function of bcryptprimitives.dll that Rust's standard library calls. Wine 8 lacks this library. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    return RtlGenRandom(data, (ULONG)size);
}
