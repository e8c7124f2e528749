// A CUDA without a GPU: it stands in for libcudart, libcuda and cuBLAS of a process (LD_PRELOAD).
//
// Memory is address space of the host, copies to and from the host are made, kernels are not run.
// What is launched while a stream is captured is listed, with the bytes that a product moves; what
// CUDA forbids during capture fails as it does there. See run.py, which builds and uses it.
//
// $PRETEND_SM is the architecture (75, 80, 86, 89, 90), $PRETEND_GIB the size of the memory.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#undef cudaEventElapsedTime
#undef cudaGetDeviceProperties
#undef cudaGraphInstantiate
#undef cudaStreamGetCaptureInfo
#define API extern "C" __attribute__((visibility("default")))

// Functions of which only the answer matters, by their name in the library: the headers declare
// them with arguments that are of no interest here.
#define PLAIN(name, arguments, body) \
  API int plain_##name arguments __asm__(#name); \
  int plain_##name arguments body
#define SUCCEEDS(name) PLAIN(name, (), { return 0; })
#define TELLS(name, value) PLAIN(name, (int* told), { *told = value; return 0; })
#define WAITS(name) PLAIN(name, (), { return outside_capture(#name); })

static long setting(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text ? atol(text) : otherwise;
}
static const long SM = setting("PRETEND_SM", 90);
static const size_t MEMORY = size_t(setting("PRETEND_GIB", 80)) << 30;

// ---- what is captured -------------------------------------------------------------------

struct Node { std::string name; double bytes; };
struct Capture { std::vector<Node> nodes; bool invalid; };
struct Event { Capture* capture; };

static std::recursive_mutex mutex;
using Lock = std::lock_guard<std::recursive_mutex>;
static std::map<void*, Capture*> capture_of;  // by stream
static std::set<Capture*> active;
static std::vector<Node> captured;  // since pretend_clear
static std::vector<std::string> problems;
static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
static thread_local cudaError_t last = cudaSuccess;

static cudaError_t failed(cudaError_t error) { return last = error; }

static void problem(const std::string& text) {
  problems.push_back(text);
  for (auto capture : active) capture->invalid = true;
}

// What a capture forbids to every thread that has not relaxed its mode.
static cudaError_t outside_capture(const char* what) {
  Lock lock(mutex);
  if (active.empty() || mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  problem(std::string("forbidden while a stream is captured: ") + what);
  return failed(cudaErrorStreamCaptureUnsupported);
}

static cudaError_t launch(const std::string& name, void* stream, double bytes = 0) {
  Lock lock(mutex);
  if (auto capture = capture_of[stream]) {
    capture->nodes.push_back({name, bytes});
  } else if (!active.empty()) {
    problem("launched outside the stream that is captured: " + name);
    if (!stream) return failed(cudaErrorStreamCaptureImplicit);
  }
  return cudaSuccess;
}

API void pretend_clear() { Lock lock(mutex); captured.clear(); problems.clear(); }

API void pretend_write(const char* path) {  // as lines of kind, bytes and name
  Lock lock(mutex);
  FILE* file = fopen(path, "w");
  for (auto& node : captured) fprintf(file, "node\t%.0f\t%s\n", node.bytes, node.name.c_str());
  for (auto& text : problems) fprintf(file, "problem\t0\t%s\n", text.c_str());
  fclose(file);
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  Lock lock(mutex);
  active.insert(capture_of[stream] = new Capture{});
  return cudaSuccess;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Lock lock(mutex);
  Capture* capture = capture_of[stream];
  if (!capture) return failed(cudaErrorIllegalState);
  for (auto& [other, own] : capture_of) if (own == capture) own = nullptr;
  active.erase(capture);
  captured.insert(captured.end(), capture->nodes.begin(), capture->nodes.end());
  *graph = capture->invalid ? nullptr : (cudaGraph_t)capture;
  return capture->invalid ? failed(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  Lock lock(mutex);
  Capture* capture = capture_of[stream];
  *status = !capture ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
            : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
    cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**, size_t* count) {
  cudaStreamIsCapturing(stream, status);
  if (id) *id = (unsigned long long)capture_of[stream];
  if (graph) *graph = (cudaGraph_t)capture_of[stream];
  if (count) *count = 0;
  return cudaSuccess;
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* other) {
  std::swap(*other, mode);
  return cudaSuccess;
}

API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* count) {
  *count = ((Capture*)graph)->nodes.size();
  return cudaSuccess;
}

API cudaError_t cudaGraphInstantiateWithFlags(
    cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = (cudaGraphExec_t)graph;
  return cudaSuccess;
}

SUCCEEDS(cudaGraphDestroy) SUCCEEDS(cudaGraphExecDestroy) SUCCEEDS(cudaGraphLaunch)
SUCCEEDS(cudaGraphNodeGetDependencies)

// ---- streams and events -----------------------------------------------------------------

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = (cudaStream_t) new char;
  return cudaSuccess;
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = (cudaEvent_t) new Event{};
  return cudaSuccess;
}

API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Lock lock(mutex);
  ((Event*)event)->capture = capture_of[stream];
  return cudaSuccess;
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  Lock lock(mutex);  // a stream that waits for a captured one is captured with it
  Capture* capture = ((Event*)event)->capture;
  if (active.count(capture)) capture_of[stream] = capture;
  return cudaSuccess;
}

API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}

WAITS(cudaDeviceSynchronize) WAITS(cudaStreamSynchronize) WAITS(cudaEventSynchronize)
WAITS(cudaStreamQuery) WAITS(cudaEventQuery) WAITS(cudaMemcpyToSymbol)
SUCCEEDS(cudaEventDestroy) SUCCEEDS(cudaStreamDestroy) SUCCEEDS(cudaLaunchHostFunc)

API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}

// ---- memory -----------------------------------------------------------------------------

static std::map<char*, size_t> blocks;
static size_t used = 0;

static bool on_device(const void* place) {
  Lock lock(mutex);
  auto block = blocks.upper_bound((char*)place);
  return block != blocks.begin() && (--block, (char*)place < block->first + block->second);
}

API cudaError_t cudaMalloc(void** place, size_t size) {
  if (auto error = outside_capture("cudaMalloc")) return error;
  Lock lock(mutex);
  if (used + size > MEMORY) return failed(cudaErrorMemoryAllocation);
  *place = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  used += blocks[(char*)*place] = size;
  return cudaSuccess;
}

API cudaError_t cudaFree(void* place) {
  if (auto error = outside_capture("cudaFree")) return error;
  Lock lock(mutex);
  auto block = blocks.find((char*)place);
  if (block == blocks.end()) return cudaSuccess;
  used -= block->second;
  munmap(place, block->second);
  blocks.erase(block);
  return cudaSuccess;
}

API cudaError_t cudaMemGetInfo(size_t* left, size_t* all) {
  *all = MEMORY, *left = MEMORY - used;
  return cudaSuccess;
}

API cudaError_t cudaHostAlloc(void** place, size_t size, unsigned) {
  *place = malloc(size);
  return cudaSuccess;
}

API cudaError_t cudaFreeHost(void* place) { free(place); return cudaSuccess; }

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* told, const void* place) {
  *told = {on_device(place) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered};
  told->devicePointer = (void*)place;
  return cudaSuccess;
}

// A copy; where the host reads a truth or a number, no kernel wrote it: let them be true and 0.
static void copy(void* to, const void* from, size_t size) {
  if (!on_device(to) && on_device(from) && size <= 8) memset(to, 0, size), *(char*)to = size == 1;
  else if (!on_device(to) || !on_device(from)) memcpy(to, from, size);
}

API cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind) {
  if (auto error = outside_capture("cudaMemcpy")) return error;
  copy(to, from, size);
  return cudaSuccess;
}

API cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t size, cudaMemcpyKind, cudaStream_t stream) {
  if (auto error = launch("copy", stream, 2.0 * size)) return error;
  if (!capture_of[stream]) copy(to, from, size);
  else if (!on_device(to) || !on_device(from)) problem("a copy from or to the host");
  return cudaSuccess;
}

API cudaError_t cudaMemset(void*, int, size_t) { return outside_capture("cudaMemset"); }

API cudaError_t cudaMemsetAsync(void*, int, size_t size, cudaStream_t stream) {
  return launch("set", stream, size);
}

API cudaError_t cudaGetSymbolAddress(void** place, const void*) {
  static char area[1 << 16];
  *place = area;
  return cudaSuccess;
}

// ---- the device -------------------------------------------------------------------------

static int attribute(int which) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor: return SM / 10;
    case cudaDevAttrComputeCapabilityMinor: return SM % 10;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMultiProcessorCount:
      return SM == 75 ? 40 : SM == 80 ? 108 : SM == 86 ? 82 : 132;
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return SM == 75 ? 1024 : SM == 80 || SM == 90 ? 2048 : 1536;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 49152;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return SM == 75 ? 65536 : SM == 80 ? 166912 : SM < 90 ? 101376 : 232448;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrL2CacheSize: return 50 << 20;
    case cudaDevAttrClockRate: return 1980000;
    case cudaDevAttrMemoryClockRate: return 2619000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    default: return 0;
  }
}

API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = attribute(which);
  return cudaSuccess;
}

API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* told, int) {
  *told = {};
  snprintf(told->name, sizeof told->name, "a pretended sm_%ld", SM);
  told->totalGlobalMem = MEMORY;
  told->major = SM / 10, told->minor = SM % 10, told->warpSize = 32;
  told->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  told->maxThreadsPerBlock = 1024;
  told->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  told->regsPerBlock = told->regsPerMultiprocessor = 65536;
  told->sharedMemPerBlock = 49152;
  told->sharedMemPerBlockOptin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  told->sharedMemPerMultiprocessor = told->sharedMemPerBlockOptin + 1024;
  told->l2CacheSize = attribute(cudaDevAttrL2CacheSize);
  told->maxGridSize[0] = 2147483647, told->maxGridSize[1] = told->maxGridSize[2] = 65535;
  told->maxThreadsDim[0] = told->maxThreadsDim[1] = 1024, told->maxThreadsDim[2] = 64;
  return cudaSuccess;
}

TELLS(cudaGetDeviceCount, 1) TELLS(cudaGetDevice, 0) TELLS(cudaDriverGetVersion, 13000)
TELLS(cudaRuntimeGetVersion, 13000)
SUCCEEDS(cudaSetDevice)

API cudaError_t cudaGetLastError() {
  auto error = last;
  last = cudaSuccess;
  return error;
}

API cudaError_t cudaPeekAtLastError() { return last; }

API const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "refused by the pretended driver";
}

API const char* cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }

API cudaError_t cudaGetDriverEntryPointByVersion(
    const char* name, void** function, unsigned, unsigned long long,
    cudaDriverEntryPointQueryResult* found) {
  *function = dlsym(RTLD_DEFAULT, name);
  if (found) *found = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// ---- kernels that PyTorch contains ------------------------------------------------------

struct Configuration { dim3 grid, block; size_t shared; void* stream; };
static thread_local std::vector<Configuration> configurations;
static std::map<const void*, std::string> names;

API void** __cudaRegisterFatBinary(void*) { static void* handle; return &handle; }
SUCCEEDS(__cudaRegisterFatBinaryEnd) SUCCEEDS(__cudaUnregisterFatBinary) SUCCEEDS(__cudaRegisterVar)
SUCCEEDS(__cudaInitModule)

API void __cudaRegisterFunction(void**, const char* host, char*, const char* name) {
  Lock lock(mutex);
  names[host] = name;
}

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto own = configurations.back();
  configurations.pop_back();
  *grid = own.grid, *block = own.block, *shared = own.shared, *(void**)stream = own.stream;
  return cudaSuccess;
}

API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}

API cudaError_t cudaLaunchKernel(
    const void* kernel, dim3, dim3, void**, size_t, cudaStream_t stream) {
  return launch(names[kernel], stream);
}

API cudaError_t __cudaLaunchKernel(
    cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t stream) {
  return launch(names[(void*)kernel], stream);
}

API cudaError_t cudaLaunchKernelExC(
    const cudaLaunchConfig_t* how, const void* kernel, void**) {
  return launch(names[kernel], how->stream);
}

API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* told, const void*) {
  *told = {};
  told->ptxVersion = told->binaryVersion = SM == 89 ? 86 : SM;  // PyTorch has no code of sm_89
  told->maxThreadsPerBlock = 1024, told->numRegs = 32;
  return cudaSuccess;
}

TELLS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 2)
SUCCEEDS(cudaFuncSetAttribute)

// ---- kernels that Triton made, by the driver's own functions ----------------------------

TELLS(cuDeviceGetCount, 1) TELLS(cuDeviceGet, 0) TELLS(cuDriverGetVersion, 13000)
TELLS(cuOccupancyMaxActiveBlocksPerMultiprocessor, 2) TELLS(cuOccupancyMaxActiveClusters, 1)
TELLS(cuCtxGetDevice, 0)
SUCCEEDS(cuInit) SUCCEEDS(cuCtxSetCurrent) SUCCEEDS(cuFuncSetAttribute)
SUCCEEDS(cuFuncSetCacheConfig) SUCCEEDS(cuCtxGetLimit) SUCCEEDS(cuCtxSetLimit)
SUCCEEDS(cuTensorMapEncodeTiled)

API CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = (CUcontext)1;
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return cuCtxGetCurrent(context);
}

API CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* is_active) {
  *flags = 0, *is_active = 1;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = attribute(which);  // both enumerations have the same numbers
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  snprintf(name, size, "a pretended sm_%ld", SM);
  return CUDA_SUCCESS;
}

API CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "refused by the pretended driver";
  return CUDA_SUCCESS;
}

API CUresult cuGetErrorName(CUresult error, const char** text) {
  return cuGetErrorString(error, text);
}

API CUresult cuModuleLoadData(CUmodule* module, const void*) {
  if (outside_capture("cuModuleLoadData")) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  *module = (CUmodule) new char;
  return CUDA_SUCCESS;
}

API CUresult cuModuleLoad(CUmodule* module, const char*) {
  return cuModuleLoadData(module, nullptr);
}

API CUresult cuModuleUnload(CUmodule) {
  return outside_capture("cuModuleUnload") ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

API CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = (CUfunction) new std::string(name);
  return CUDA_SUCCESS;
}

API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : which == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 0;
  return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(
    CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
    CUstream stream, void**, void**) {
  return (CUresult)launch(*(std::string*)function, stream);
}

API CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction function, void**, void**) {
  return (CUresult)launch(*(std::string*)function, how->hStream);
}

API CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which, CUdeviceptr place) {
  if (which == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) *(CUdeviceptr*)value = place;
  return CUDA_SUCCESS;
}

API CUresult cuGetProcAddress_v2(
    const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult*) {
  *function = dlsym(RTLD_DEFAULT, name);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// ---- products: a kernel reads two matrices, and one that it adds to, and writes one -----

static std::map<void*, void*> stream_of;  // by handle

static int product(
    void* handle, double m, double n, double k, double batch, int size, bool adds) {
  launch("product", stream_of[handle], batch * size * (m * k + k * n + (1 + adds) * m * n));
  return 0;
}

API int cublasCreate_v2(void** handle) { *handle = new char; return 0; }
API int cublasSetStream_v2(void* handle, void* stream) { stream_of[handle] = stream; return 0; }
TELLS(cublasLtGetVersion, 130000)
SUCCEEDS(cublasDestroy_v2) SUCCEEDS(cublasSetWorkspace_v2) SUCCEEDS(cublasSetMathMode)
SUCCEEDS(cublasSetPointerMode_v2)
API int cublasGetMathMode(void*, int* told) { *told = 0; return 0; }
API int cublasGetPointerMode_v2(void*, int* told) { *told = 0; return 0; }

#define PRODUCT(name, type, size) \
  API int name(void* handle, int, int, int m, int n, int k, const type*, const void*, int, \
               const void*, int, const type* beta) { \
    return product(handle, m, n, k, 1, size, *beta != 0); \
  }
PRODUCT(cublasSgemm_v2, float, 4) PRODUCT(cublasDgemm_v2, double, 8)
#define PRODUCTS(name, type, size) \
  API int name(void* handle, int, int, int m, int n, int k, const type*, const void*, int, \
               long long, const void*, int, long long, const type* beta, void*, int, long long, \
               int batch) { \
    return product(handle, m, n, k, batch, size, *beta != 0); \
  }
PRODUCTS(cublasSgemmStridedBatched, float, 4) PRODUCTS(cublasDgemmStridedBatched, double, 8)
API int cublasGemmEx(
    void* handle, int, int, int m, int n, int k, const void*, const void*, int, int, const void*,
    int, int, const float* beta) {
  return product(handle, m, n, k, 1, 2, *beta != 0);
}
API int cublasGemmStridedBatchedEx(
    void* handle, int, int, int m, int n, int k, const void*, const void*, int, int, long long,
    const void*, int, int, long long, const float* beta, void*, int, int, long long, int batch) {
  return product(handle, m, n, k, batch, 2, *beta != 0);
}
#define VECTOR_PRODUCT(name) \
  API int name(void* handle) { return launch("product", stream_of[handle]); }
VECTOR_PRODUCT(cublasSgemv_v2) VECTOR_PRODUCT(cublasDgemv_v2)
VECTOR_PRODUCT(cublasSdot_v2) VECTOR_PRODUCT(cublasDdot_v2)

struct Layout { uint64_t rows, columns; };
SUCCEEDS(cublasLtMatmulDescDestroy) SUCCEEDS(cublasLtMatmulDescSetAttribute)
SUCCEEDS(cublasLtMatmulPreferenceDestroy) SUCCEEDS(cublasLtMatmulPreferenceSetAttribute)
SUCCEEDS(cublasLtMatrixLayoutDestroy) SUCCEEDS(cublasLtMatrixLayoutSetAttribute)
API int cublasLtMatmulDescCreate(void** made) { *made = new char; return 0; }
API int cublasLtMatmulPreferenceCreate(void** made) { *made = new char; return 0; }
API int cublasLtMatrixLayoutCreate(void** made, int, uint64_t rows, uint64_t columns) {
  *made = new Layout{rows, columns};
  return 0;
}
API int cublasLtMatmulAlgoGetHeuristic(
    void*, void*, void*, void*, void*, void*, void*, int, void* results, int* count) {
  memset(results, 0, 96);
  *count = 1;
  return 0;
}
API int cublasLtMatmul(
    void*, void*, const void*, const void*, Layout* a, const void*, Layout* b, const float* beta,
    const void*, Layout*, void*, Layout* d, const void*, void*, size_t, void* stream) {
  auto size = [](Layout* matrix) { return double(matrix->rows) * matrix->columns; };
  return launch("product", stream, 4 * (size(a) + size(b) + (1 + (*beta != 0)) * size(d)));
}
