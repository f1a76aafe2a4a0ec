#include "plugin/petsc/version.hpp"

#include <gtest/gtest.h>

namespace gpusupernodal::petsc {
namespace {

constexpr PetscBuild reference{3, 20, false, 8, 4};

TEST(PetscVersion, AcceptsTheSameBuild) { EXPECT_EQ(describe_mismatch(reference, reference), ""); }

TEST(PetscVersion, NamesBothVersions) {
  PetscBuild running = reference;
  running.minor = 21;
  const std::string sentence = describe_mismatch(reference, running);
  EXPECT_NE(sentence.find("built for PETSc 3.20"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("uses PETSc 3.21"), std::string::npos) << sentence;
}

TEST(PetscVersion, RefusesOtherMajorIndexAndScalarSizes) {
  for (const PetscBuild& running :
       {PetscBuild{4, 20, false, 8, 4}, PetscBuild{3, 20, false, 4, 4}, PetscBuild{3, 20, false, 8, 8}}) {
    EXPECT_NE(describe_mismatch(reference, running), "");
    EXPECT_NE(describe_mismatch(running, reference), "");
  }
}

TEST(PetscVersion, NamesThePluginForTheOtherScalars) {
  const PetscBuild complex{3, 20, true, 16, 4};
  const std::string sentence = describe_mismatch(reference, complex);
  EXPECT_NE(sentence.find("load libgpusupernodal_petsc_complex.so"), std::string::npos) << sentence;
  EXPECT_NE(describe_mismatch(complex, reference).find("load libgpusupernodal_petsc.so"), std::string::npos);
  EXPECT_EQ(describe_mismatch(complex, complex), "");
}

TEST(PetscVersion, KnowsTheLinkedPetsc) {
  PetscBuild running;
  ASSERT_EQ(static_cast<int>(query_running_build(&running)), 0);
  EXPECT_EQ(running.major, PETSC_VERSION_MAJOR);
  EXPECT_EQ(running.minor, PETSC_VERSION_MINOR);
  EXPECT_EQ(running.scalar_bytes, sizeof(PetscScalar));
  EXPECT_EQ(running.index_bytes, sizeof(PetscInt));
  EXPECT_EQ(describe_mismatch(compiled_build(), running), "");
}

}  // namespace
}  // namespace gpusupernodal::petsc
