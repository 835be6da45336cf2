// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// E
rm ShardLayout.h cat > TensorLayout.h << 'E'
